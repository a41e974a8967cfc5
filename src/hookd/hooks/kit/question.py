"""How a handler ends that has put a question which is for the agent's own dialog."""


class QuestionForTheAgent(BaseException):
    """A handler's question that the agent is to ask; the handler ends here."""
