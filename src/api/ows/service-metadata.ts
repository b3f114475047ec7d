import type { LayerSummary } from '../../catalog/index.ts'
import type { ServiceSettings } from '../../core/config/service-settings.ts'
import type { TranslatedTexts, Translations } from '../../core/text/translations.ts'
import { languageTag } from '../../core/text/translations.ts'
import { defined } from '../../core/values/defined.ts'
import type { FastifyRequest } from '../app-types.ts'
import { doiAddress } from '../doi.ts'
import type { KeyValues } from './key-values.ts'
import type { OwsDeps } from './ows-deps.ts'
import { readableSummaries } from './send-pieces.ts'

/** The languages of a service, by codes of ISO 639-2. */
export interface Languages {
  /** Language of the original titles, then those with translations. */
  all: readonly [usual: string, ...others: string[]]
  /** Language of the response. */
  spoken: string
}

/** Content of capabilities, in the requested language. */
export interface ServiceMetadata {
  about: ServiceSettings
  languages: Languages
  /** The layers that the caller may read, their terms behind their abstracts. */
  cards: readonly LayerSummary[]
}

/** A request for capabilities. */
interface CapabilitiesRequest {
  request: FastifyRequest
  workspace: string | undefined
  values: KeyValues
}

/** The service and its layers; `LANGUAGE` (INSPIRE) or `AcceptLanguages` (OGC 06-121r9, section 7.3.2) choose among the languages. */
export async function readServiceMetadata(
  { about, catalog }: Pick<OwsDeps, 'about' | 'catalog'>,
  { request, workspace, values }: CapabilitiesRequest,
): Promise<ServiceMetadata> {
  const cards = await readableSummaries(catalog, { request, workspace })
  const languages = chooseLanguage(values, languagesOf(about, cards))
  const spoken = languages.spoken === languages.all[0] ? undefined : languages.spoken
  return {
    about: inLanguage(about, spoken),
    languages,
    cards: cards.map((card) => withTerms(inLanguage(card, spoken))),
  }
}

function languagesOf(about: ServiceSettings, cards: readonly LayerSummary[]): Languages['all'] {
  const others = new Set<string>()
  for (const { translations } of [about, ...cards])
    for (const code of Object.keys(translations ?? {})) others.add(code)
  others.delete(about.inspire.language)
  return [about.inspire.language, ...[...others].sort()]
}

/** Returns the first requested language that is available; otherwise the default. */
function chooseLanguage(values: KeyValues, all: Languages['all']): Languages {
  const requested = [values.find('language'), values.find('acceptlanguages')].flatMap((text) =>
    (text ?? '').split(/[\s,]+/),
  )
  for (const one of requested) {
    const tag = languageTag(one.replace(/;.*/, ''))
    const found = tag === undefined ? undefined : all.find((code) => languageTag(code) === tag)
    if (found !== undefined) return { all, spoken: found }
  }
  return { all, spoken: all[0] }
}

/** Returns the object with the texts of a language, if there are any; undefined: unchanged. */
function inLanguage<Reported extends TranslatedTexts | LayerSummary>(
  reported: Reported & { translations?: Translations },
  language: string | undefined,
): Reported {
  const texts = language === undefined ? undefined : reported.translations?.[language]
  return texts === undefined ? reported : { ...reported, ...defined({ ...texts }) }
}

/** Appends facts for which the services have no elements to the abstract. */
function withTerms(card: LayerSummary): LayerSummary {
  const abstract = abstractWithTerms(card)
  return abstract === card.abstract ? card : { ...card, abstract }
}

/** Returns an abstract followed by attribution, licence, contact, owner, citation and DOI, one per line. */
export function abstractWithTerms({
  abstract,
  attribution,
  licence,
  contact,
  owner,
  citation,
  doi,
}: Pick<
  Partial<LayerSummary>,
  'abstract' | 'attribution' | 'licence' | 'contact' | 'owner' | 'citation' | 'doi'
>): string | undefined {
  const lines = [
    abstract,
    attribution,
    licence && `Licence: ${licence}`,
    contact && `Contact: ${contact}`,
    owner && `Owner: ${owner}`,
    citation && `Citation: ${citation}`,
    doi && `DOI: ${doiAddress(doi)}`,
  ].filter((one) => one !== undefined && one !== '')
  return lines.length === 0 ? undefined : lines.join('\n')
}
