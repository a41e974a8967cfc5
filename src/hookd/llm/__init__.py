"""Language models behind one protocol; nothing in here runs unless a model is configured."""
