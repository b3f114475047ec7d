import type { ServiceContact, ServiceSettings } from '../../core/config/service-settings.ts'
import { escapeXml } from '../../core/text/escape.ts'
import { languageTag } from '../../core/text/translations.ts'
import type { Languages, ServiceMetadata } from './service-metadata.ts'

/** An element around others; nothing where there are none. */
function around(name: string, inside: string): string {
  return inside === '' ? '' : `<${name}>${inside}</${name}>`
}

function hasAddress({ street, city, region, postcode, country }: ServiceContact): boolean {
  return [street, city, region, postcode, country].some((one) => one !== undefined)
}

/** Title, abstract and keywords as OWS Common has them (OGC 06-121r9, table 12); `usual` is the abstract where none is set. */
export function owsHead({ title, abstract, keywords }: ServiceSettings, usual: string): string {
  const words = keywords.map((one) => textElement('ows:Keyword', one)).join('')
  return [
    textElement('ows:Title', title),
    textElement('ows:Abstract', abstract ?? usual),
    around('ows:Keywords', words),
  ].join('')
}

/** The terms; `none` is the word of a service for no terms. */
export function owsTerms({ fees, access }: ServiceSettings, none: 'none' | 'NONE'): string {
  return textElement('ows:Fees', fees ?? none) + textElement('ows:AccessConstraints', access ?? none)
}

/** Writes the contact; `nameOf` maps the element names to those of a version of OWS Common. */
function contactInfo(contact: ServiceContact, nameOf: (name: string) => string): string {
  const { email, phone, street, city, region, postcode, country, url } = contact
  const one = (name: string, text: string | undefined): string => textElement(nameOf(name), text)
  const address = [
    one('DeliveryPoint', street),
    one('City', city),
    one('AdministrativeArea', region),
    one('PostalCode', postcode),
    one('Country', country),
    one('ElectronicMailAddress', email),
  ].join('')
  const inside = [
    around(nameOf('Phone'), one('Voice', phone)),
    around(nameOf('Address'), address),
    url === undefined ? '' : `<${nameOf('OnlineResource')} xlink:href="${escapeXml(url)}"/>`,
  ].join('')
  return around(nameOf('ContactInfo'), inside)
}

/** Writes the service provider (OGC 06-121r9, table 14). */
export function owsProvider({ title, contact }: ServiceSettings): string {
  const { organisation, person, position, url } = contact
  const inside = [
    textElement('ows:IndividualName', person),
    textElement('ows:PositionName', position),
    contactInfo(contact, (name) => `ows:${name}`),
  ].join('')
  const site = url === undefined ? '' : `<ows:ProviderSite xlink:href="${escapeXml(url)}"/>`
  const name = textElement('ows:ProviderName', organisation ?? title)
  const served = inside === '' ? '<ows:ServiceContact/>' : around('ows:ServiceContact', inside)
  return around('ows:ServiceProvider', name + site + served)
}

/** Writes the supported languages (OGC 06-121r9, section 7.4.9); nothing if there is only one. */
export function owsLanguages({ all }: Languages): string {
  if (all.length === 1) return ''
  const tags = all.map((code) => textElement('ows:Language', languageTag(code)))
  return around('ows:Languages', tags.join(''))
}

/** Title, abstract and keywords of a WMS. */
export function wmsHead({ title, abstract, keywords }: ServiceSettings, usual: string): string {
  const words = keywords.map((one) => textElement('Keyword', one)).join('')
  return [
    textElement('Title', title),
    textElement('Abstract', abstract ?? usual),
    around('KeywordList', words),
  ].join('')
}

/** Contact and terms of a WMS (OGC 06-042, section 7.2.4.4), whose elements are there all together or not at all. */
export function wmsTail({ contact, fees, access }: ServiceSettings): string {
  const { organisation = '', person = '', position, email, phone } = contact
  const { street = '', city = '', region = '', postcode = '', country = '' } = contact
  const one = (name: string, text: string): string => `<${name}>${escapeXml(text)}</${name}>`
  const primary =
    organisation + person === ''
      ? ''
      : around(
          'ContactPersonPrimary',
          one('ContactPerson', person) + one('ContactOrganization', organisation),
        )
  const address = [
    ['AddressType', 'postal'],
    ['Address', street],
    ['City', city],
    ['StateOrProvince', region],
    ['PostCode', postcode],
    ['Country', country],
  ].map(([name = '', text = '']) => one(name, text))
  const inside = [
    primary,
    textElement('ContactPosition', position),
    hasAddress(contact) ? around('ContactAddress', address.join('')) : '',
    textElement('ContactVoiceTelephone', phone),
    textElement('ContactElectronicMailAddress', email),
  ].join('')
  return [
    around('ContactInformation', inside),
    textElement('Fees', fees ?? 'none'),
    textElement('AccessConstraints', access ?? 'none'),
  ].join('')
}

/**
 * Writes the INSPIRE metadata of a view service (Technical Guidance for View Services 3.11, scenario 1);
 * empty if no record is configured.
 */
export function inspireView({ inspire: { viewRecord } }: ServiceSettings, languages: Languages): string {
  if (viewRecord === undefined) return ''
  return `${inspireHead('inspire_vs')}${inspireRecord(viewRecord, languages)}</inspire_vs:ExtendedCapabilities>`
}

/**
 * Writes the INSPIRE metadata of a download service by WFS or WCS (Technical Guidance for Download Services
 * 3.1, 6.4): its record, and the code and namespace of each data set. Nothing if no record is configured, or
 * there are no data.
 */
export function* inspireDownload<DataSet>(
  { about, languages }: Pick<ServiceMetadata, 'about' | 'languages'>,
  dataSets: readonly DataSet[],
  identify: (one: DataSet) => { code: string; namespace: string },
): Generator<string> {
  const { downloadRecord } = about.inspire
  if (downloadRecord === undefined || dataSets.length === 0) return
  yield `<ows:ExtendedCapabilities>${inspireHead('inspire_dls')}${inspireRecord(downloadRecord, languages)}`
  for (const one of dataSets) {
    const { code, namespace } = identify(one)
    const parts = `${textElement('inspire_common:Code', code)}${textElement('inspire_common:Namespace', namespace)}`
    yield `<inspire_dls:SpatialDataSetIdentifier>${parts}</inspire_dls:SpatialDataSetIdentifier>\n`
  }
  yield '</inspire_dls:ExtendedCapabilities></ows:ExtendedCapabilities>'
}

function inspireHead(prefix: 'inspire_vs' | 'inspire_dls'): string {
  const namespace = `http://inspire.ec.europa.eu/schemas/${prefix}/1.0`
  return `<${prefix}:ExtendedCapabilities xmlns:${prefix}="${namespace}" xmlns:inspire_common="http://inspire.ec.europa.eu/schemas/common/1.0" xsi:schemaLocation="${namespace} ${namespace}/${prefix}.xsd">`
}

/**
 * Writes the address of the service's metadata record, the supported languages, and the language of the
 * response.
 */
function inspireRecord(record: string, { all: [usual, ...others], spoken }: Languages): string {
  const language = (code: string): string => textElement('inspire_common:Language', code)
  const supported = others.map((code) => around('inspire_common:SupportedLanguage', language(code)))
  return [
    `<inspire_common:MetadataUrl>${textElement('inspire_common:URL', record)}<inspire_common:MediaType>application/vnd.iso.19139+xml</inspire_common:MediaType></inspire_common:MetadataUrl>`,
    `<inspire_common:SupportedLanguages><inspire_common:DefaultLanguage>${language(usual)}</inspire_common:DefaultLanguage>${supported.join('')}</inspire_common:SupportedLanguages>`,
    `<inspire_common:ResponseLanguage>${language(spoken)}</inspire_common:ResponseLanguage>`,
  ].join('')
}

/** Terms must be XML names: replaces characters between words by one. */
function oneName(text: string): string {
  return text.replace(/[^\p{L}\p{Nd}._-]+/gu, '_').replace(/^(?=[^\p{L}_])/u, '_')
}

/** Writes the service section of WCS 1.0 (OGC 03-065r6, section 7.2). */
export function wcs10Service({ title, abstract, keywords, fees, access, contact }: ServiceSettings): string {
  const { organisation, person, position } = contact
  const words = keywords.map((one) => textElement('keyword', one)).join('')
  const info = contactInfo(contact, (name) => name.charAt(0).toLowerCase() + name.slice(1))
  const names = textElement('individualName', person) + textElement('organisationName', organisation)
  const party = names === '' ? '' : names + textElement('positionName', position) + info
  return around(
    'Service',
    [
      textElement('description', abstract),
      '<name>WCS</name>',
      textElement('label', title),
      around('keywords', words),
      around('responsibleParty', party),
      textElement('fees', oneName(fees ?? 'NONE')),
      textElement('accessConstraints', oneName(access ?? 'NONE')),
    ].join(''),
  )
}

/** An element with a text; nothing where there is none. */
export function textElement(name: string, text: string | undefined): string {
  return text === undefined || text === '' ? '' : `<${name}>${escapeXml(text)}</${name}>`
}
