"""The run folder: a session's record as files beside the code it was about."""
