"""What is looked at beside the rules: the surroundings, files, commands inside, what is surely harmless."""
