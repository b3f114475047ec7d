import { Type } from 'typebox'
import { media } from '../../description.ts'

/** Shapes of OGC API Styles (draft OGC 20-009). */

const Link = Type.Object({
  href: Type.String(),
  rel: Type.String(),
  type: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
})
const links = Type.Array(Link)

export const StyleListReply = Type.Object({
  default: Type.Optional(Type.String({ description: 'Of a collection: its default style' })),
  styles: Type.Array(Type.Object({ id: Type.String(), title: Type.String(), links })),
  numberMatched: Type.Optional(Type.Integer({ minimum: 0 })),
  links,
})

export const StyleMetadataReply = Type.Object({
  id: Type.String({ description: 'Its name, with its workspace if it belongs to one' }),
  title: Type.String(),
  scope: Type.Literal('style'),
  created: Type.String({ format: 'date-time' }),
  updated: Type.String({ format: 'date-time' }),
  stylesheets: Type.Array(
    Type.Object({
      title: Type.String(),
      version: Type.String(),
      specification: Type.String(),
      native: Type.Boolean({ description: 'True for the encoding in which the style was sent' }),
      link: Link,
    }),
  ),
  layers: Type.Array(Type.Object({ id: Type.String(), type: Type.String() }), {
    description: 'Collections that the caller may read and that are offered in the style; at most 100',
  }),
  links,
})

export const StyleSheetReply = media('The style in the requested encoding', {
  'application/vnd.mapbox.style+json': Type.Object({}, { additionalProperties: true }),
  'application/vnd.ogc.sld+xml': Type.String(),
  'application/vnd.qgis.qml+xml': Type.String(),
})

export const StyleParams = Type.Object({
  styleId: Type.String({ description: 'Name of a global style, or `<workspace>:<name>`' }),
})
export const StylesQuery = Type.Object({
  limit: Type.Optional(Type.String({ description: 'Styles per page: default 100, at most 1000' })),
  offset: Type.Optional(Type.String({ description: 'Styles to skip' })),
})
export const NewStyleQuery = Type.Object({
  id: Type.Optional(Type.String({ description: 'Id of the new style: `<name>`, or `<workspace>:<name>`' })),
})
export const DeleteStyleQuery = Type.Object({
  recurse: Type.Optional(
    Type.Boolean({ description: 'True to draw the layers of the style by default styles from then on' }),
  ),
})
