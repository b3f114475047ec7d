import { Type } from 'typebox'
import type { ServiceSettings } from '../../../core/config/service-settings.ts'
import { notFound } from '../../../core/errors/errors.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { empty } from '../../description.ts'
import { operation } from '../../endpoint.ts'

/** Dependencies of the endpoints about the server. */
export interface AboutDeps {
  version: string
  about: ServiceSettings
}

const tags = ['geoserver']
/** Version of GeoServer whose REST documents these follow: clients choose by it what they send. */
const followedVersion = '2.25.0'

const Resource = Type.Object({
  '@name': Type.String(),
  'Build-Timestamp': Type.Optional(Type.String()),
  Version: Type.String(),
})

export const showVersion = operation({
  summary: 'Version of the server, and of GeoServer whose documents it follows',
  description:
    'The resource `GeoServer` has the version whose REST documents these follow, because clients choose by it what they send; `Terrane` has the version of the server.',
  tags,
  answers: { 200: Type.Object({ about: Type.Object({ resource: Type.Array(Resource) }) }) },
  handle: async ({ version }: AboutDeps) => ({
    about: {
      resource: [
        { '@name': 'GeoServer', Version: followedVersion },
        { '@name': 'Terrane', Version: version },
      ],
    },
  }),
})

/** Changes apply at once: nothing is cached that a reload would read again. */
export const reload = operation({
  summary: 'Nothing to reload: changes apply at once',
  description: 'Answers 200 and does nothing, for scripts that reload or reset GeoServer after changes.',
  tags,
  answers: { 200: empty() },
  handle: async (_deps: object, _request, reply) => reply.code(200).send(),
})

const Text = Type.Optional(Type.String())
const Contact = Type.Object({
  addressCity: Text,
  addressCountry: Text,
  addressPostalCode: Text,
  addressState: Text,
  address: Text,
  contactEmail: Text,
  contactOrganization: Text,
  contactPerson: Text,
  contactPosition: Text,
  contactVoice: Text,
})

export const showSettings = operation({
  summary: 'Settings of the server in the shape of GeoServer',
  description:
    'Contact, address and encoding. They are settings of the environment and are not changed here.',
  tags,
  answers: {
    200: Type.Object({
      global: Type.Object({
        settings: Type.Object({
          contact: Contact,
          charset: Type.String(),
          onlineResource: Type.String(),
          proxyBaseUrl: Type.String(),
          verbose: Type.Boolean(),
          verboseExceptions: Type.Boolean(),
        }),
        globalServices: Type.Boolean(),
      }),
    }),
  },
  handle: async ({ about }: AboutDeps, request) => ({
    global: {
      settings: {
        contact: toContact(about.contact),
        charset: 'UTF-8',
        onlineResource: about.contact.url ?? request.link('/'),
        proxyBaseUrl: request.link(''),
        verbose: false,
        verboseExceptions: false,
      },
      globalServices: true,
    },
  }),
})

function toContact({ city, country, postcode, region, street, ...contact }: ServiceSettings['contact']) {
  return {
    addressCity: city,
    addressCountry: country,
    addressPostalCode: postcode,
    addressState: region,
    address: street,
    contactEmail: contact.email,
    contactOrganization: contact.organisation,
    contactPerson: contact.person,
    contactPosition: contact.position,
    contactVoice: contact.phone,
  }
}

/** Versions of the services, as their capabilities have them. */
const serviceVersions = {
  wms: ['1.1.1', '1.3.0'],
  wfs: ['1.1.0', '2.0.0'],
  wcs: ['1.0.0', '2.0.1'],
  wmts: ['1.0.0'],
} as const satisfies Record<string, readonly string[]>

const ServiceSettingsReply = Type.Object({
  enabled: Type.Boolean(),
  name: Type.String(),
  title: Type.String(),
  abstrct: Type.Optional(Type.String({ description: 'Abstract, in the spelling of GeoServer' })),
  keywords: Type.Object({ string: Type.Array(Type.String()) }),
  maintainer: Type.Optional(Type.String()),
  onlineResource: Type.String(),
  fees: Type.String(),
  accessConstraints: Type.String(),
  versions: Type.Object({ 'org.geotools.util.Version': Type.Array(Type.Object({ version: Type.String() })) }),
})

export const showServiceSettings = operation({
  summary: 'Settings of a service in the shape of GeoServer',
  description:
    'Title, terms and versions of `wms`, `wfs`, `wcs` or `wmts`. They are settings of the environment and are not changed here.',
  tags,
  params: Type.Object({ service: Type.String({ description: 'wms, wfs, wcs or wmts' }) }),
  answers: {
    200: Type.Union(
      Object.keys(serviceVersions).map((name) => Type.Object({ [name]: ServiceSettingsReply })),
    ),
  },
  handle: async ({ about }: AboutDeps, request) => {
    const { service } = request.params
    const [name, versions] = Object.entries(serviceVersions).find(([one]) => one === service) ?? []
    if (name === undefined || versions === undefined)
      throw notFound(
        'unknown-service',
        `There is no service "${service.slice(0, 60)}": ${Object.keys(serviceVersions).join(', ')}`,
      )
    return { [name]: toServiceSettings(request, about, name, versions) }
  },
})

function toServiceSettings(
  request: FastifyRequest,
  { title, abstract, keywords, fees, access, contact }: ServiceSettings,
  name: string,
  versions: readonly string[],
) {
  return {
    enabled: true,
    name: name.toUpperCase(),
    title,
    abstrct: abstract,
    keywords: { string: keywords },
    maintainer: contact.organisation,
    onlineResource: contact.url ?? request.link('/'),
    fees: fees ?? 'NONE',
    accessConstraints: access ?? 'NONE',
    versions: { 'org.geotools.util.Version': versions.map((version) => ({ version })) },
  }
}
