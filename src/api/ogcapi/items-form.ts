import type { LayerRecord } from '../../catalog/index.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import {
  type FeatureFormat,
  type WrittenAbout,
  type WrittenEnd,
  type WrittenFormat,
  type WrittenFormatName,
  writtenFormats,
} from '../../formats/writing/index.ts'
import { timeAttribute } from '../../geo/schema.ts'
import type { WrittenForm } from '../../stores/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import type { RequestedCrs } from '../crs-uris.ts'
import { collectionId } from './collection.ts'
import type { ItemLink } from './representations.ts'
import { chosenRepresentation, linkHeader } from './representations.ts'

/** Serialization of the features of a response. */
export interface ItemsForm {
  /** Format written by the store's reader; undefined for GeoJSON. */
  form?: WrittenForm
  /** Bytes before the reader's output. */
  head: Uint8Array
  mediaType: string
  /** Returns the bytes after it. */
  end(end: ItemsEnd): Uint8Array
  /** Sets the headers of the response. */
  describe(reply: FastifyReply, links: readonly ItemLink[], numberMatched?: number): void
}

/** Data for the end of a page of features. */
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
    // The other links are at the end of the document.
    const queryables = links.find(({ rel }) => rel.endsWith('/queryables'))
    if (queryables !== undefined) reply.header('link', linkHeader(queryables))
  },
}

/** Returns the description of a layer's features in this CRS. */
function aboutOf(
  request: FastifyRequest,
  layer: LayerRecord,
  { uri, srs, isYx }: RequestedCrs,
  isSingle: boolean,
): WrittenAbout {
  const { schema, title, srs: ownSrs, crs } = layer.details
  const isPlaced = schema.geometry !== undefined && (ownSrs ?? crs) !== undefined
  return {
    name: layer.name,
    title,
    schema,
    isSingle,
    collection: request.link(`/ogc/collections/${encodeURIComponent(collectionId(layer))}`),
    timeAttribute: timeAttribute(schema)?.name,
    crs: isPlaced ? { uri, srs, isYx } : undefined,
  }
}

/** Returns the serialization of a request's features, by the negotiated representation. */
export async function itemsForm(
  request: FastifyRequest,
  layer: LayerRecord,
  crs: RequestedCrs,
  { isSingle = false }: { isSingle?: boolean } = {},
): Promise<ItemsForm> {
  const { name, rows } = chosenRepresentation(request) ?? {}
  // Formats written from complete features receive GeoJSON.
  if (name === undefined || rows !== undefined) return geoJsonForm
  const written = ownValue<WrittenFormat>(writtenFormats, name)
  if (written === undefined) throw new Error(`Features are not written as ${name}`)
  const about = aboutOf(request, layer, crs, isSingle)
  return writtenForm(name as WrittenFormatName, await written.load(), about)
}

function writtenForm(name: WrittenFormatName, format: FeatureFormat, about: WrittenAbout): ItemsForm {
  const { mediaType, ending, hasLinks } = writtenFormats[name]
  return {
    form: { name, about },
    head: nothing,
    mediaType: mediaType.split(';', 1).join(),
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
