"""The kinds of findings, each with what it means, for people."""

KINDS = {
    "override": "tells the reader to drop the instructions it works under",
    "persona": "gives a model another identity, or frees it from its rules",
    "system-impersonation": "speaks as the system, the developer or an administrator",
    "turn-markers": "imitates the marks between the turns of a conversation",
    "tool-call-imitation": "imitates a tool call or a message of a protocol",
    "addressed-to-a-model": "speaks to a model or an assistant, not to a person",
    "secrecy": "asks that the user not be told",
    "prompt-leak": "asks for the model's own instructions",
    "secrets": "asks for secrets",
    "exfiltration": "asks to send data or credentials somewhere",
    "command": "asks to run, approve or disable something unasked",
    "encoded-order": "asks to decode something and act on it",
    "answer-steering": "dictates what a model shall answer",
    "memory-poisoning": "asks to remember something for good",
    "authority": "claims an authority over the model",
    "hidden-words": "has words of an attack where nobody was to read them",
    "hidden": "stands where a person does not see it",
    "encoded": "says the above in an encoding",
    "spelled-apart": "says the above in letters that are spelled apart or replaced",
    "invisible": "says the above in invisible characters",
}
