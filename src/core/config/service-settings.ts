import type { TranslatedTexts, Translations } from '../text/translations.ts'
import { languageCode } from '../text/translations.ts'
import type { Reader } from './parse.ts'

/** Metadata of the map services: provider and terms. */
export interface ServiceSettings {
  /** Default: the name of this program. */
  title: string
  /** Default: a description of each service. */
  abstract?: string
  keywords: string[]
  /** Terms; default: none. */
  fees?: string
  access?: string
  contact: ServiceContact
  inspire: InspireSettings
  /** Title, abstract and keywords in other languages. */
  translations?: Translations
}

/** Metadata required by INSPIRE. */
interface InspireSettings {
  /** URLs of the catalogue records of the view services and of the download services. */
  viewRecord?: string
  downloadRecord?: string
  /** Language of the titles, as ISO 639-2 code. */
  language: string
}

/** Contact for the services. */
export interface ServiceContact {
  organisation?: string
  person?: string
  position?: string
  email?: string
  phone?: string
  street?: string
  city?: string
  region?: string
  postcode?: string
  country?: string
  url?: string
}

export function readService(read: Reader): ServiceSettings {
  return {
    title: read.text('TERRANE_SERVICE_TITLE', { default: 'Terrane' }) ?? 'Terrane',
    keywords: (read.text('TERRANE_SERVICE_KEYWORDS', { type: 'list' }) ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
    abstract: read.text('TERRANE_SERVICE_ABSTRACT', { default: 'description of each service' }),
    fees: read.text('TERRANE_SERVICE_FEES', { default: 'none' }),
    access: read.text('TERRANE_SERVICE_ACCESS', { default: 'none' }),
    translations: readTranslations(read),
    inspire: readInspire(read),
    contact: {
      organisation: read.text('TERRANE_CONTACT_ORGANISATION'),
      person: read.text('TERRANE_CONTACT_PERSON'),
      position: read.text('TERRANE_CONTACT_POSITION'),
      email: read.text('TERRANE_CONTACT_EMAIL'),
      phone: read.text('TERRANE_CONTACT_PHONE'),
      street: read.text('TERRANE_CONTACT_STREET'),
      city: read.text('TERRANE_CONTACT_CITY'),
      region: read.text('TERRANE_CONTACT_REGION'),
      postcode: read.text('TERRANE_CONTACT_POSTCODE'),
      country: read.text('TERRANE_CONTACT_COUNTRY'),
      url: readWebAddress(read, 'TERRANE_CONTACT_URL'),
    },
  }
}

function readInspire(read: Reader): ServiceSettings['inspire'] {
  const language = read.text('TERRANE_SERVICE_LANGUAGE', { default: 'eng' }) ?? 'eng'
  if (!languageCode.test(language))
    read.problem('TERRANE_SERVICE_LANGUAGE', `must be a code of ISO 639-2 such as eng, found "${language}"`)
  return {
    language,
    viewRecord: readWebAddress(read, 'TERRANE_INSPIRE_METADATA'),
    downloadRecord: readWebAddress(read, 'TERRANE_INSPIRE_DOWNLOAD_METADATA'),
  }
}

function readWebAddress(read: Reader, name: string): string | undefined {
  const value = read.text(name, { type: 'URL' })
  if (value === undefined) return undefined
  const url = URL.parse(value)
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href
  read.problem(name, `must be an http or https address, found "${value}"`)
  return undefined
}

const setting = 'TERRANE_SERVICE_TRANSLATIONS'
const example = '{"ger": {"title": "Karten", "abstract": "…", "keywords": ["Straßen"]}}'

/** Reads translations of the service metadata, as JSON by ISO 639-2 codes. */
function readTranslations(read: Reader): Translations | undefined {
  const text = read.text(setting, { type: 'JSON' })
  if (text === undefined) return undefined
  const entries = Object.entries(parseObject(text) ?? {})
  const isRight = entries.every(([code, one]) => languageCode.test(code) && isTexts(one))
  if (entries.length > 0 && isRight) return Object.fromEntries(entries) as Translations
  read.problem(setting, `must be JSON such as ${example}, by codes of ISO 639-2`)
  return undefined
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isTexts(value: unknown): value is TranslatedTexts {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.entries(value).every(([key, one]) => {
    if (key === 'keywords') return Array.isArray(one) && one.every((word) => typeof word === 'string')
    return (key === 'title' || key === 'abstract') && typeof one === 'string'
  })
}
