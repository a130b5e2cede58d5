"""The graph: SSA with regions (`ir`), result types (`infer`), symbolic NumPy (`symbolic`),
invariants (`verify`), the pure interpreter (`interpret`), text (`text`), drawings (`drawing`,
`svg`)."""

from .drawing import to_dot, to_mermaid
from .ir import Graph
from .svg import to_svg
from .text import render

# Printing is a view of the graph, not a part of it: `ir` knows nothing of it.
Graph.__str__ = Graph.__repr__ = render  # type: ignore[assignment,method-assign]
Graph.to_dot = to_dot  # type: ignore[assignment,method-assign]
Graph.to_mermaid = to_mermaid  # type: ignore[assignment,method-assign]
Graph.to_svg = to_svg  # type: ignore[assignment,method-assign]
Graph._repr_svg_ = to_svg  # type: ignore[assignment,method-assign]
