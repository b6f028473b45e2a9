extension ComparisonPage {
    /// Colours, light and dark, and a layout that fits a phone.
    static let style = """
        :root { color-scheme: light dark; --paper: #fff; --ink: #1b1b1b; --faint: #5c5c5c; --line: #c9c9c9;
          --odd: #dbe9ff; --even: #fff0cf; --overlap: #c2410c; --wave: #17407a; --bad: #a40000; --head: #c00; }
        @media (prefers-color-scheme: dark) {
          :root { --paper: #16181c; --ink: #ececec; --faint: #a6a6a6; --line: #44484f;
            --odd: #1d3252; --even: #453612; --overlap: #fb923c; --wave: #a9cbff; --bad: #ff8f8f; --head: #ff6b6b; }
        }
        body { margin: 0 auto; max-width: 64rem; padding: 1rem; background: var(--paper); color: var(--ink);
          font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
        h1 { margin: 0; font-size: 1.5rem; }
        h2 { margin: 2rem 0 0; font-size: 1.3rem; }
        h3 { margin: 0; font-size: 1rem; }
        h3 span, small, dt { color: var(--faint); font-weight: normal; }
        a { color: inherit; }
        nav a { margin-right: .75rem; }
        article { margin: 1rem 0; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .5rem; }
        .text { margin: .25rem 0 .5rem; font-size: 1.2rem; }
        .failure { margin: .25rem 0; color: var(--bad); }
        audio { width: 100%; }
        dl { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: .5rem 0; }
        dl div { display: flex; gap: .4rem; }
        dd { margin: 0; font-variant-numeric: tabular-nums; }
        .scroll { overflow-x: auto; }
        svg { display: block; background: var(--paper); }
        svg.join { width: 100%; min-width: 30rem; height: auto; }
        svg text { fill: var(--ink); font-size: 12px; }
        svg .odd { fill: var(--odd); }
        svg .even { fill: var(--even); }
        svg .overlap { fill: var(--overlap); opacity: .55; }
        svg .rest { fill: none; stroke: var(--faint); stroke-dasharray: 4 4; }
        svg .tick { stroke: var(--line); }
        svg .wave { fill: none; stroke: var(--wave); stroke-width: 1; }
        svg .head { stroke: var(--head); stroke-width: 2; }
        ol { margin: .5rem 0; padding-left: 2rem; columns: 18rem; }
        li { break-inside: avoid; padding: .15rem 0; }
        li.rest { list-style: none; color: var(--faint); }
        button { min-height: 2rem; padding: .15rem .6rem; border: 1px solid var(--line); border-radius: .4rem;
          background: var(--paper); color: inherit; font: inherit; cursor: pointer; }
        button:focus-visible, .scroll:focus-visible, summary:focus-visible, a:focus-visible {
          outline: 3px solid var(--wave); outline-offset: 2px; }
        summary { cursor: pointer; padding: .3rem 0; }
        figure { margin: .75rem 0; overflow-x: auto; }
        """

    /// Plays from a recording on, shows the position, and plays voices one after the other. The page is readable and
    /// playable without it.
    static let script = """
        "use strict";
        const players = [...document.querySelectorAll("audio")];
        let queue = [];
        const next = () => { const audio = queue.shift(); if (audio) { audio.currentTime = 0; audio.play(); } };
        for (const audio of players) {
          const card = audio.closest("article");
          const wave = card.querySelector("svg.whole");
          const head = wave.querySelector(".head");
          const show = () => {
            const place = audio.currentTime / audio.duration * wave.viewBox.baseVal.width;
            if (Number.isFinite(place)) { head.setAttribute("x1", place); head.setAttribute("x2", place); }
            if (!audio.paused) requestAnimationFrame(show);
          };
          audio.addEventListener("play", () => {
            for (const other of players) { if (other !== audio) other.pause(); }
            show();
          });
          audio.addEventListener("seeked", show);
          audio.addEventListener("ended", next);
          for (const button of card.querySelectorAll("button[data-from]")) {
            button.addEventListener("click", () => {
              queue = [];
              audio.currentTime = Number(button.dataset.from);
              audio.play();
            });
          }
          wave.addEventListener("click", (event) => {
            const box = wave.getBoundingClientRect();
            queue = [];
            audio.currentTime = (event.clientX - box.left) / box.width * audio.duration;
            audio.play();
          });
        }
        for (const button of document.querySelectorAll("button.all")) {
          button.addEventListener("click", () => {
            queue = [...button.closest("section").querySelectorAll("audio")];
            next();
          });
        }
        """
}
