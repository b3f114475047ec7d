import { Type } from 'typebox'

/** Shapes of OGC API Tiles (OGC 20-057) and of tile matrix sets and tilesets (OGC 17-083r4, in JSON). */

const Link = Type.Object({
  href: Type.String(),
  rel: Type.String(),
  type: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  templated: Type.Optional(
    Type.Boolean({ description: 'URL template with `{tileMatrix}` and similar variables' }),
  ),
})
const links = Type.Array(Link)
const numbers = (length: number) => Type.Array(Type.Number(), { minItems: length, maxItems: length })

const setEntry = { id: Type.String(), title: Type.String(), uri: Type.String(), crs: Type.String() }

export const TileMatrixSetList = Type.Object({
  tileMatrixSets: Type.Array(Type.Object({ ...setEntry, links })),
})

export const TileMatrixSetReply = Type.Object({
  ...setEntry,
  orderedAxes: Type.Array(Type.String()),
  wellKnownScaleSet: Type.String(),
  tileMatrices: Type.Array(
    Type.Object({
      id: Type.String(),
      scaleDenominator: Type.Number(),
      cellSize: Type.Number({ description: 'Of a pixel, in units of the CRS' }),
      pointOfOrigin: numbers(2),
      tileWidth: Type.Integer(),
      tileHeight: Type.Integer(),
      matrixWidth: Type.Integer(),
      matrixHeight: Type.Integer(),
    }),
  ),
})

const ofTileset = {
  title: Type.String(),
  dataType: Type.Literal('vector'),
  crs: Type.String(),
  tileMatrixSetURI: Type.String(),
  links,
}

export const TilesetList = Type.Object({ links, tilesets: Type.Array(Type.Object(ofTileset)) })

const BoundingBox = Type.Object({ lowerLeft: numbers(2), upperRight: numbers(2), crs: Type.String() })
const Property = Type.Object({ type: Type.String(), format: Type.Optional(Type.String()) })

export const TilesetReply = Type.Object({
  ...ofTileset,
  description: Type.Optional(Type.String()),
  version: Type.String({ description: 'Of the layer: changes with its data' }),
  attribution: Type.Optional(Type.String()),
  license: Type.Optional(Type.String()),
  pointOfContact: Type.Optional(Type.String()),
  mediaTypes: Type.Array(Type.String()),
  created: Type.String({ format: 'date-time' }),
  updated: Type.String({ format: 'date-time' }),
  tileMatrixSetLimits: Type.Array(
    Type.Object({
      tileMatrix: Type.String(),
      minTileRow: Type.Integer(),
      maxTileRow: Type.Integer(),
      minTileCol: Type.Integer(),
      maxTileCol: Type.Integer(),
    }),
  ),
  boundingBox: Type.Optional(BoundingBox),
  centerPoint: Type.Optional(
    Type.Object({ coordinates: numbers(2), crs: Type.String(), tileMatrix: Type.String() }),
  ),
  layers: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Its name in the tiles' }),
      title: Type.String(),
      dataType: Type.Literal('vector'),
      geometryDimension: Type.Optional(Type.Integer({ description: '0 points, 1 lines, 2 areas' })),
      boundingBox: Type.Optional(BoundingBox),
      propertiesSchema: Type.Object({
        type: Type.Literal('object'),
        properties: Type.Record(Type.String(), Property),
      }),
      links,
    }),
  ),
})

const collectionId = Type.String({ description: 'Workspace and layer, such as `city:trees`' })
const tileMatrixSetId = Type.String({ description: '`WebMercatorQuad` or `WorldCRS84Quad`' })

export const SetParams = Type.Object({ tileMatrixSetId })
export const TilesetParams = Type.Object({ collectionId, tileMatrixSetId })
/** Checked as text: what is not a number names no tile. */
export const TileParams = Type.Object({
  collectionId,
  tileMatrixSetId,
  tileMatrix: Type.String(),
  tileRow: Type.String(),
  tileCol: Type.String(),
})
/** The same with the types that are meant. */
export const DocumentedTileParams = Type.Object({
  collectionId,
  tileMatrixSetId,
  tileMatrix: Type.String({ description: 'Id of a tile matrix, which is its zoom: `0` to `22`' }),
  tileRow: Type.Integer({ minimum: 0, description: 'Counted from the north' }),
  tileCol: Type.Integer({ minimum: 0, description: 'Counted from the west' }),
})

export const DatasetQuery = Type.Object({
  collections: Type.Optional(
    Type.String({
      description:
        'Collections of features separated by commas, at most 20; default all, if these are at most 20',
      maxLength: 10_000,
    }),
  ),
})
export const DatasetTileParams = Type.Object({
  tileMatrixSetId,
  tileMatrix: Type.String(),
  tileRow: Type.String(),
  tileCol: Type.String(),
})
/** The same with the types that are meant. */
export const DocumentedDatasetTileParams = Type.Object({
  tileMatrixSetId,
  tileMatrix: Type.String({ description: 'Id of a tile matrix, which is its zoom: `0` to `22`' }),
  tileRow: Type.Integer({ minimum: 0, description: 'Counted from the north' }),
  tileCol: Type.Integer({ minimum: 0, description: 'Counted from the west' }),
})
