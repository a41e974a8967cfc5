"""The journal: what happened, on disk before the answer goes out, in the store soon after."""
