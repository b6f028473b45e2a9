#!/usr/bin/env python3
"""Manual pages from a program's own help: reads what its `--experimental-dump-help` prints (JSON of
swift-argument-parser, serialization version 0) and writes one page for the program and one for each command."""

import argparse
import json
import pathlib
import sys


FILES = {
    "soundbox": [
        ("/etc/soundbox/soundbox.yaml", "The configuration; secrets are in files beside it."),
        ("/var/lib/soundbox/inbox.sqlite", "The payments."),
        ("/usr/share/doc/soundbox/install.md", "How to install, set up, replace and update a box."),
        ("/usr/share/doc/soundbox/operations.md", "How to look after a box: back up, history, metrics."),
        ("/usr/share/doc/soundbox/messages.md", "What a message of the box means, and what to do."),
    ],
    "soundbox-speak": [
        ("/usr/bin/espeak-ng", "What speaks texts."),
        ("/usr/share/doc/soundbox/configuration.md", "Where clips may come from: clips.hosts."),
    ],
    "soundbox-gateway": [
        ("/etc/soundbox-gateway/gateway.yaml", "The configuration."),
        ("/etc/soundbox-gateway/tokens", "Who may post payments."),
        ("/var/lib/soundbox-gateway/gateway.sqlite", "The payments."),
        ("/usr/share/doc/soundbox-gateway/gateway.md", "How to set it up and look after it."),
    ],
    "soundbox-voicetools": [
        ("/usr/share/soundbox/sounds/", "The voices."),
        ("/usr/share/doc/soundbox-voicetools/voice-authoring.md", "How to make a voice."),
    ],
}


def escape(text):
    """Plain text for roff: no escapes, no hyphens that become something else, no line that is taken for a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def names(argument):
    """`-c, --config <file>`, or `<amount>…` for what is given by position."""
    if argument["kind"] == "positional":
        name = "<" + argument.get("valueName", "") + ">"
        return name + "…" if argument.get("isRepeating") else name
    parts = []
    for name in argument.get("names", []):
        parts.append(("-" if name["kind"] == "short" else "--") + name["name"])
    text = ", ".join(sorted(parts, key=len))
    return text + " <" + argument["valueName"] + ">" if argument["kind"] == "option" else text


def synopsis(argument):
    text = names(argument)
    if argument["kind"] != "positional":
        text = text.split(", ")[-1]
    if argument.get("isRepeating") and argument["kind"] != "positional":
        text += " …"
    return "[" + text + "]" if argument.get("isOptional") else text


def visible(items):
    return [item for item in items if item.get("shouldDisplay", True)]


def page(command, path, options):
    title = "-".join(path)
    arguments = visible(command.get("arguments", []))
    commands = [item for item in visible(command.get("subcommands", [])) if item["commandName"] != "help"]
    lines = [
        '.TH "%s" 1 "%s" "soundbox %s" "Sound box"' % (title.upper(), options.date, options.version),
        ".SH NAME",
        escape(title) + " \\- " + escape(command.get("abstract", "").rstrip(".")),
        ".SH SYNOPSIS",
        ".B " + escape(" ".join(path)),
    ]
    for argument in arguments:
        lines.append(escape(synopsis(argument)))
    if commands:
        lines.append("<command>")
    if command.get("discussion"):
        lines.append(".SH DESCRIPTION")
        for line in command["discussion"].strip("\n").split("\n"):
            # Examples are indented in the help, and keep their lines.
            lines += [".EX", escape(line), ".EE"] if line.startswith("  ") else [escape(line) if line else ".PP"]
    if arguments:
        lines.append(".SH OPTIONS")
        for argument in arguments:
            lines += [".TP", ".B " + escape(names(argument)), escape(argument.get("abstract", ""))]
            if argument.get("defaultValue"):
                lines.append(escape("Default: " + argument["defaultValue"] + "."))
    if commands:
        lines.append(".SH COMMANDS")
        for subcommand in commands:
            lines += [".TP", ".BR " + escape("-".join(path + [subcommand["commandName"]])) + " (1)"]
            lines.append(escape(subcommand.get("abstract", "")))
    if len(path) == 1:
        lines += [
            ".SH EXIT STATUS", "0 done, 1 failed, 64 bad usage.", ".SH FILES",
        ]
        for file, purpose in FILES[title]:
            lines += [".TP", ".I " + file, purpose]
    else:
        lines += [".SH SEE ALSO", ".BR " + escape("-".join(path[:-1])) + " (1)"]
    (options.output / (title + ".1")).write_text("\n".join(lines) + "\n", encoding="utf-8")
    for subcommand in commands:
        page(subcommand, path + [subcommand["commandName"]], options)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    parser.add_argument("--date", required=True)
    parser.add_argument("output", type=pathlib.Path)
    options = parser.parse_args()
    command = json.load(sys.stdin)["command"]
    page(command, [command["commandName"]], options)


if __name__ == "__main__":
    main()
