/** Units of a tile's edge, and the width of its buffer (Mapbox Vector Tile 2.1, section 4.1). */
export const tileExtent = 4096
export const tileBuffer = 64
