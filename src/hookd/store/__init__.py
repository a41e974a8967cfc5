"""The database engine: one writer, many readers, migrations. What is stored is each owner's business."""
