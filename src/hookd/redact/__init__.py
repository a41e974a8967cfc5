"""The one redactor: everything hookd stores, logs, shows or sends goes through it."""
