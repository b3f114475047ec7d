import type { StyleRecord } from '../../../catalog/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { operation } from '../../endpoint.ts'
import { readableLayer } from '../about-layer.ts'
import { asHtml } from '../as-html.ts'
import { collectionId } from '../collection.ts'
import { readPage } from '../items-query.ts'
import { offeredDocuments } from '../offered.ts'
import type { OgcDeps } from '../ogc-deps.ts'
import { knownSummaries } from '../records/read-records.ts'
import { chosenRepresentation, represented } from '../representations.ts'
import { CollectionParams } from '../schemas.ts'
import { ogcStylePath, readableStyle, readableStyles, styleId, stylesOfLayer } from './readable-styles.ts'
import { StyleListReply, StyleMetadataReply, StyleParams, StyleSheetReply, StylesQuery } from './schemas.ts'
import { isNative, sendStylesheet, sheetLinks, stylesheets } from './stylesheets.ts'

type StyleDeps = Pick<OgcDeps, 'catalog'>

const json = 'application/json'
const marks = { tags: ['styles'], isPublicRead: true }
const page = { usual: 100, most: 1000 }
const maxLayers = 100

function toEntry(request: FastifyRequest, style: StyleRecord): object {
  const metadata = request.link(`${ogcStylePath(style)}/metadata`)
  return {
    id: styleId(style),
    title: style.name,
    links: [
      ...sheetLinks(request, style).map(({ link }) => link),
      { rel: 'describedby', type: json, title: 'Metadata', href: metadata },
    ],
  }
}

export const getOgcStyles = represented(
  offeredDocuments,
  operation({
    ...marks,
    summary: 'Styles (draft of OGC API Styles)',
    description: 'A page of the styles that the caller may read, in the order of their ids.',
    query: StylesQuery,
    answers: { 200: StyleListReply },
    handle: async ({ catalog }: StyleDeps, request) => {
      const { limit, offset } = readPage(request.query, page)
      const styles = await readableStyles(catalog, request)
      const next = { ...request.query, offset: String(offset + limit) } as Record<string, string>
      const nextPage = request.link(`/ogc/styles?${new URLSearchParams(next)}`)
      return {
        styles: styles.slice(offset, offset + limit).map((style) => toEntry(request, style)),
        numberMatched: styles.length,
        links: [
          { rel: 'self', type: json, title: 'This page', href: request.link('/ogc/styles') },
          ...(offset + limit < styles.length
            ? [{ rel: 'next', type: json, title: 'Next page', href: nextPage }]
            : []),
        ],
      }
    },
  }),
)

export const getCollectionStyles = represented(
  offeredDocuments,
  operation({
    ...marks,
    summary: 'Styles of a layer (draft of OGC API Styles)',
    description: 'The styles in which a layer is offered, its default style first.',
    params: CollectionParams,
    answers: { 200: StyleListReply },
    handle: async ({ catalog }: StyleDeps, request) => {
      const layer = await readableLayer(catalog, request)
      const path = `/ogc/collections/${encodeURIComponent(collectionId(layer))}`
      const styles = await stylesOfLayer(catalog, layer)
      const [first] = styles
      return {
        default: first === undefined ? undefined : styleId(first),
        styles: styles.map((style) => toEntry(request, style)),
        links: [
          { rel: 'self', type: json, title: 'This page', href: request.link(`${path}/styles`) },
          { rel: 'collection', type: json, title: 'The collection', href: request.link(path) },
        ],
      }
    },
  }),
)

export const getOgcStyle = represented(
  [...stylesheets, asHtml],
  operation({
    ...marks,
    summary: 'A style in one of its encodings (draft of OGC API Styles)',
    description:
      'SLD 1.0 or 1.1, MapLibre or QML, by `f` or `Accept`; without either the document as it was sent. Other encodings are converted.',
    params: StyleParams,
    answers: { 200: StyleSheetReply },
    handle: async ({ catalog }: StyleDeps, request, reply) => {
      const style = await readableStyle(catalog, request, request.params.styleId)
      const isPage = chosenRepresentation(request)?.name === asHtml.name
      return isPage ? metadataOf(catalog, request, style) : sendStylesheet(style, request, reply)
    },
  }),
)

export const getOgcStyleMetadata = represented(
  offeredDocuments,
  operation({
    ...marks,
    summary: 'Metadata of a style (draft of OGC API Styles)',
    description: 'Times, encodings, and the collections that are offered in the style.',
    params: StyleParams,
    answers: { 200: StyleMetadataReply },
    handle: async ({ catalog }: StyleDeps, request) => {
      const style = await readableStyle(catalog, request, request.params.styleId)
      return metadataOf(catalog, request, style)
    },
  }),
)

async function metadataOf(
  catalog: StyleDeps['catalog'],
  request: FastifyRequest,
  style: StyleRecord,
): Promise<object> {
  const sheets = sheetLinks(request, style)
  return {
    id: styleId(style),
    title: style.name,
    scope: 'style',
    created: style.createdAt,
    updated: style.updatedAt,
    stylesheets: sheets.map(({ sheet, link }) => ({
      title: sheet.title,
      version: sheet.version,
      specification: sheet.specification,
      native: isNative(sheet, style),
      link,
    })),
    layers: await layersOf(catalog, request, style),
    links: [
      { rel: 'self', type: json, title: 'Metadata', href: request.link(`${ogcStylePath(style)}/metadata`) },
      ...sheets.map(({ link }) => link),
    ],
  }
}

/** Returns the readable layers that name a style; a style of their own workspace hides a global one. */
async function layersOf(
  catalog: StyleDeps['catalog'],
  request: FastifyRequest,
  style: StyleRecord,
): Promise<object[]> {
  const set = await knownSummaries(catalog, request)
  const named = set
    .ordered('name', false)
    .filter(
      (card) =>
        (card.style === style.name || card.styles?.includes(style.name) === true) &&
        (style.workspace === undefined || style.workspace === card.workspace),
    )
    .slice(0, maxLayers)
  const drawn = await Promise.all(named.map(({ workspace }) => catalog.styles.resolve(workspace, style.name)))
  return named
    .filter((_, index) => drawn[index]?.id === style.id)
    .map(({ qualifiedName, kind, geometryType }) => ({
      id: qualifiedName,
      type: kind === 'vector' ? (geometryType ?? 'any').toLowerCase() : kind,
    }))
}
