"""Guards for agent frameworks. No framework is imported until its adapter is used."""
