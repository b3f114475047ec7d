import { foldText } from '../../core/text/fold-text.ts'
import type { Translations } from '../../core/text/translations.ts'
import { timeAttribute } from '../../geo/schema.ts'
import type { InPlace, LayerDetails, LayerRecord, LayerTimes, VersionCause } from '../records.ts'

/** Kinds of layers in a search; a table has no geometry. */
export const summaryKinds = ['vector', 'raster', 'table'] as const
export type SummaryKind = (typeof summaryKinds)[number]

/** Extent of a layer, from which its range in degrees is computed. */
type LayerExtent = Pick<LayerDetails, 'envelope' | 'srs' | 'crs'>

/** Summary of a layer for lists, without its document. */
export interface LayerSummary {
  id: number
  storeId: number
  version: number
  workspace: string
  name: string
  nativeName: string
  title: string
  abstract: string | undefined
  keywords: readonly string[]
  kind: SummaryKind
  /** Geometry type of features, according to the schema. */
  geometryType: string | undefined
  /**
   * Number of features, or of granules of a mosaic; undefined if others have changed the data since they were
   * counted.
   */
  rows: number | undefined
  place: LayerExtent
  /** Times of a mosaic whose granules have times; long lists are shortened. */
  times: LayerTimes | undefined
  /** Attribute with the time of a feature. */
  timeAttribute: string | undefined
  /** Name of its default style. */
  style: string
  /** Names of further styles in which the layer is offered. */
  styles?: readonly string[]
  /** Attribution, licence, contact, owner, citation and DOI. */
  attribution?: string
  licence?: string
  contact?: string
  owner?: string
  citation?: string
  doi?: string
  translations?: Translations
  /** Own setting of the layer; undefined to use that of its workspace. */
  isPublic: boolean | undefined
  /** State of a table that was published in place. */
  inPlace: InPlace | undefined
  versionCause: VersionCause
  changedAt: string
  /** `workspace:name`. */
  qualifiedName: string
  /** Sort key for titles. */
  titleKey: string
  /** Searchable name and title: one per line, words separated by single blanks. */
  head: string
  /** Keywords, columns and abstract, as in `head`. */
  body: string
}

const longestTitleKey = 200
const longestAbstract = 300
/** Maximum number of listed times. */
const maxTimes = 1000
/** Maximum length of the searchable text in addition to name and title. */
const longestBody = 8000

/** Returns the summary of a layer with the number of rows of its version. */
export function toSummary(layer: LayerRecord, rows?: number): LayerSummary {
  const { id, storeId, version, workspace, name, nativeName, details, isPublic, updatedAt } = layer
  const { title, abstract, keywords = [], envelope, srs, crs, schema, style, times } = details
  const kind = kindOf(details)
  const head = foldText(`${oneLine(name)}\n${oneLine(title)}`)
  return {
    id,
    storeId,
    version,
    workspace,
    name,
    nativeName,
    title,
    keywords,
    isPublic,
    style,
    abstract: abstract === undefined ? undefined : shortened(abstract),
    ...reportOf(details),
    kind,
    geometryType: schema.geometry?.type,
    // A raster with a single file has cells, not rows.
    rows: details.featureCount ?? (kind === 'raster' ? undefined : rows),
    place: { envelope, ...(srs === undefined ? crs && { crs } : { srs }) },
    times: times && { ...times, values: times.values.length > maxTimes ? [] : times.values },
    timeAttribute: kind === 'raster' ? undefined : timeAttribute(schema)?.name,
    inPlace: details.inPlace,
    versionCause: layer.versionCause,
    changedAt: updatedAt,
    qualifiedName: `${workspace}:${name}`,
    titleKey: foldText(title).slice(0, longestTitleKey),
    head,
    body: bodyOf(details),
  }
}

/** Returns descriptive metadata in addition to the title. */
function reportOf({
  attribution,
  licence,
  contact,
  owner,
  citation,
  doi,
  translations,
  styles,
}: LayerDetails): Partial<LayerSummary> {
  const short = (text?: string): string | undefined => (text === undefined ? undefined : shortened(text))
  const terms = {
    attribution: short(attribution),
    licence: short(licence),
    contact: short(contact),
    owner: short(owner),
    citation: short(citation),
    doi,
  }
  const others =
    translations &&
    Object.fromEntries(
      Object.entries(translations).map(([code, texts]) => [
        code,
        { ...texts, abstract: short(texts.abstract) ?? texts.abstract },
      ]),
    )
  return { ...terms, translations: others, styles }
}

function kindOf({ kind, schema }: LayerDetails): SummaryKind {
  if (kind === 'raster') return 'raster'
  return schema.geometry === undefined ? 'table' : 'vector'
}

function shortened(text: string): string {
  return text.length <= longestAbstract ? text : `${text.slice(0, longestAbstract - 1).trimEnd()}…`
}

/** Keywords first, so that only text is truncated. */
function bodyOf({ keywords = [], abstract = '', schema }: LayerDetails): string {
  const parts = [...keywords, ...schema.attributes.map(({ name }) => name)].map(oneLine).join('\n')
  return foldText(`${parts.slice(0, longestBody)}\n${oneLine(abstract)}`.slice(0, longestBody))
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/gu, ' ')
}
