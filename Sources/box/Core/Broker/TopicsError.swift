/// A name that cannot be part of a topic.
public struct TopicsError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Part: Sendable, Equatable, CustomStringConvertible {
        case prefix, merchant, device, clientID
        case topic(Topic)

        public var description: String {
            switch self {
            case .prefix: "topic prefix"
            case .merchant: "merchant id"
            case .device: "device id"
            case .clientID: "client id"
            case .topic(let topic): "topic of \(topic.rawValue)"
            }
        }
    }

    public enum Problem: Sendable, Equatable, CustomStringConvertible {
        case emptyLevel, controlCharacter, tooLong
        /// `+`, `#` or `/`.
        case reserved(Character)
        case unknownPlaceholder([String])
        case withoutDevice, twoInOneLevel, shared
        case same(as: Topic)

        public var description: String {
            switch self {
            case .emptyLevel: "a level is empty"
            case .controlCharacter: "it holds a control character"
            case .tooLong: "it is too long"
            case .reserved(let character): "it holds \"\(character)\""
            case .unknownPlaceholder(let known):
                "it holds braces around something else than \(known.joined(separator: ", "))"
            case .withoutDevice: "it holds no {device}, so that two boxes would have the same one"
            case .twoInOneLevel:
                "one level holds two of {prefix}, {merchant} and {device}, which could be parted otherwise"
            case .shared: "a shared subscription gives each payment to one of several boxes"
            case .same(let topic): "\(topic.rawValue) has the same one, or one that RabbitMQ makes the same"
            }
        }
    }

    public var part: Part
    public var value: String
    public var problem: Problem

    public var description: String { "\(part) \"\(value)\" cannot stand in an MQTT topic: \(problem)" }
}
