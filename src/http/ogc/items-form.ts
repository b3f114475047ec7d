import type { LayerRecord } from '../../catalog/records.ts'
import type { FeatureFormat, WrittenAbout, WrittenEnd } from '../../formats/writing/feature-format.ts'
import type { WrittenFormat, WrittenFormatName } from '../../formats/writing/written-formats.ts'
import { writtenFormats } from '../../formats/writing/written-formats.ts'
import { timeAttribute } from '../../geo/schema.ts'
import { defined } from '../../lib/defined.ts'
import { ownValue } from '../../lib/own-value.ts'
import type { WrittenForm } from '../../stores/reading/page-wish.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import type { RequestedCrs } from '../crs-uris.ts'
import { collectionId } from './collection.ts'
import type { ItemLink } from './item-link.ts'
import { linkHeader } from './item-link.ts'
import { chosenRepresentation } from './representations.ts'

/** How the features of an answer are written. */
export interface ItemsForm {
  /** What the reader of the store writes; undefined for GeoJSON. */
  form?: WrittenForm
  /** What stands before what the reader writes. */
  head: Uint8Array
  mediaType: string
  /** What stands behind it. */
  end(end: ItemsEnd): Uint8Array
  /** Sets the headers of the answer. */
  describe(reply: FastifyReply, links: readonly ItemLink[], numberMatched?: number): void
}

/** How a page of features ends. */
interface ItemsEnd extends WrittenEnd {
  numberMatched: number
  links: readonly object[]
}

const collectionHead = Buffer.from('{"type":"FeatureCollection","features":[')
const nothing = Buffer.alloc(0)

const geoJsonForm: ItemsForm = {
  head: collectionHead,
  mediaType: 'application/geo+json',
  end: ({ numberMatched, numberReturned, timeStamp, links }) => {
    const rest = JSON.stringify({ numberMatched, numberReturned, timeStamp, links })
    return Buffer.from(`],${rest.slice(1)}`)
  },
  describe: (reply, links) => {
    reply.header('content-type', 'application/geo+json; charset=utf-8')
    // The others stand at the end of the document.
    const queryables = links.find(({ rel }) => rel.endsWith('/queryables'))
    if (queryables !== undefined) reply.header('link', linkHeader(queryables))
  },
}

/** What is written of a layer's features in this CRS. */
function aboutOf(
  request: FastifyRequest,
  layer: LayerRecord,
  { uri, srs, isYx }: RequestedCrs,
  isSingle: boolean,
): WrittenAbout {
  const { schema, title, srs: ownSrs, crs } = layer.details
  const isPlaced = schema.geometry !== undefined && (ownSrs ?? crs) !== undefined
  return {
    ...{ name: layer.name, title, schema, isSingle },
    collection: request.link(`/ogc/collections/${encodeURIComponent(collectionId(layer))}`),
    ...defined({ timeAttribute: timeAttribute(schema)?.name }),
    ...(isPlaced ? { crs: { uri, srs, isYx } } : {}),
  }
}

/** How a request's features are written: by the representation that was chosen. */
export async function itemsForm(
  request: FastifyRequest,
  layer: LayerRecord,
  crs: RequestedCrs,
  { isSingle = false }: { isSingle?: boolean } = {},
): Promise<ItemsForm> {
  const { name, rows } = chosenRepresentation(request) ?? {}
  // What is written from whole features takes them as GeoJSON.
  if (name === undefined || rows !== undefined) return geoJsonForm
  const written = ownValue<WrittenFormat>(writtenFormats, name)
  if (written === undefined) throw new Error(`Features are not written as ${name}`)
  const about = aboutOf(request, layer, crs, isSingle)
  return writtenForm(name as WrittenFormatName, await written.load(), about)
}

function writtenForm(name: WrittenFormatName, format: FeatureFormat, about: WrittenAbout): ItemsForm {
  const { mediaType, ending, hasLinks } = writtenFormats[name]
  return {
    ...{ form: { name, about }, head: nothing, mediaType: mediaType.split(';', 1).join() },
    end: (end) => Buffer.from(format.end(about, end)),
    describe: (reply, links, numberMatched) => {
      const file = encodeURIComponent(`${about.name}${ending}`)
      reply.header('content-type', mediaType)
      reply.header('content-disposition', `inline; filename*=UTF-8''${file}`)
      if (hasLinks) return
      reply.header('link', links.map(linkHeader).join(', '))
      if (numberMatched !== undefined) reply.header('ogc-numbermatched', String(numberMatched))
    },
  }
}
