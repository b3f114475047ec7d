import type { FastifyRequest } from '../app-types.ts'
import { apiMediaType } from './api-description.ts'

const parts = 'http://www.opengis.net/spec'

export const conformsTo = [
  `${parts}/ogcapi-common-1/1.0/conf/core`,
  `${parts}/ogcapi-features-1/1.0/conf/core`,
  `${parts}/ogcapi-features-1/1.0/conf/oas30`,
  `${parts}/ogcapi-features-1/1.0/conf/geojson`,
  `${parts}/ogcapi-features-2/1.0/conf/crs`,
]

const json = 'application/json'

export function landingPage(request: FastifyRequest): object {
  const link = (rel: string, type: string, title: string, path: string): object => ({
    ...{ rel, type, title, href: request.link(path) },
  })
  return {
    title: 'Terrane',
    description: 'Layers of this server as OGC API Features',
    links: [
      link('self', json, 'This page', '/ogc/'),
      link('service-desc', apiMediaType, 'Definition of this interface', '/ogc/api'),
      link('service-doc', 'text/html', 'Documentation', '/docs'),
      link('conformance', json, 'Conformance', '/ogc/conformance'),
      link('data', json, 'Collections', '/ogc/collections'),
    ],
  }
}
