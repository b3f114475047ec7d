import { timeAttribute } from '../../geo/schema.ts'
import { defined } from '../../lib/defined.ts'
import { foldText } from '../../lib/text/fold-text.ts'
import type { Translations } from '../../lib/text/translations.ts'
import type { LayerDetails, LayerRecord, LayerTimes } from '../records.ts'

/** What a layer is to somebody who looks for one; a table has no geometry. */
export const cardKinds = ['vector', 'raster', 'table'] as const
/** One of `cardKinds`. */
export type CardKind = (typeof cardKinds)[number]

/** Where a layer lies: what its range in degrees is worked out from. */
type LayerPlace = Pick<LayerDetails, 'envelope' | 'srs' | 'crs'>

/** What lists show of a layer, without its document. */
export interface LayerCard {
  id: number
  storeId: number
  version: number
  workspace: string
  name: string
  nativeName: string
  title: string
  abstract: string | undefined
  keywords: readonly string[]
  kind: CardKind
  /** Of features, as the schema says. */
  geometryType: string | undefined
  /** Features, or granules of a mosaic; undefined where others have changed them since they were counted. */
  rows: number | undefined
  place: LayerPlace
  /** Of a mosaic whose granules have times; many are not listed. */
  times: LayerTimes | undefined
  /** The attribute that tells when features are of. */
  timeAttribute: string | undefined
  /** The name of its default style. */
  style: string
  /** Those of the further styles that it is offered in. */
  styles?: readonly string[]
  /** Whom to name, under which terms, and who answers questions. */
  attribution?: string
  licence?: string
  contact?: string
  translations?: Translations
  /** What it says itself; undefined where its workspace says. */
  isPublic: boolean | undefined
  changedAt: string
  /** `workspace:name`. */
  qualifiedName: string
  /** By which titles are ordered. */
  titleKey: string
  /** Its name and title, as they are searched: each in one line, words apart by one blank. */
  head: string
  /** Keywords, columns and abstract, as in `head`. */
  body: string
}

const longestTitleKey = 200
const longestAbstract = 300
/** Times that are listed. */
const mostTimes = 1000
/** What is searched of a layer beside its name and title. */
const longestBody = 8000

/** The card of a layer with as many rows as its version is known to have. */
export function toCard(layer: LayerRecord, rows?: number): LayerCard {
  const { id, storeId, version, workspace, name, nativeName, details, isPublic, updatedAt } = layer
  const { title, abstract, keywords = [], envelope, srs, crs, schema, style, times } = details
  const kind = kindOf(details)
  const head = foldText(`${oneLine(name)}\n${oneLine(title)}`)
  return {
    ...{ id, storeId, version, workspace, name, nativeName, title, keywords, isPublic, style },
    abstract: abstract === undefined ? undefined : shortened(abstract),
    ...toldOf(details),
    kind,
    geometryType: schema.geometry?.type,
    // A raster of one file has cells, not rows.
    rows: details.featureCount ?? (kind === 'raster' ? undefined : rows),
    place: { ...(envelope && { envelope }), ...(srs === undefined ? crs && { crs } : { srs }) },
    times: times && { ...times, values: times.values.length > mostTimes ? [] : times.values },
    timeAttribute: kind === 'raster' ? undefined : timeAttribute(schema)?.name,
    changedAt: updatedAt,
    qualifiedName: `${workspace}:${name}`,
    titleKey: foldText(title).slice(0, longestTitleKey),
    head,
    body: bodyOf(details),
  }
}

/** What services tell of a layer beside its title. */
function toldOf({ attribution, licence, contact, translations, styles }: LayerDetails): Partial<LayerCard> {
  const short = (text?: string): string | undefined => (text === undefined ? undefined : shortened(text))
  const terms = { attribution: short(attribution), licence: short(licence), contact: short(contact) }
  const others =
    translations &&
    Object.fromEntries(
      Object.entries(translations).map(([code, texts]) => [
        code,
        { ...texts, ...defined({ abstract: short(texts.abstract) }) },
      ]),
    )
  return defined({ ...terms, translations: others, styles })
}

function kindOf({ kind, schema }: LayerDetails): CardKind {
  if (kind === 'raster') return 'raster'
  return schema.geometry === undefined ? 'table' : 'vector'
}

function shortened(text: string): string {
  return text.length <= longestAbstract ? text : `${text.slice(0, longestAbstract - 1).trimEnd()}…`
}

/** Keywords first: what is cut off in the end is text. */
function bodyOf({ keywords = [], abstract = '', schema }: LayerDetails): string {
  const parts = [...keywords, ...schema.attributes.map(({ name }) => name)].map(oneLine).join('\n')
  return foldText(`${parts.slice(0, longestBody)}\n${oneLine(abstract)}`.slice(0, longestBody))
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/gu, ' ')
}
