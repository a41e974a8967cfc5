"""Other people's agents with hooks: one module for each framework, which is an extra of this package.

Each puts the engine where the framework lets it stand: in front of tools and behind them, at the start and
the end of the work, between the turns. None of the frameworks is imported before its bridge is.
"""
