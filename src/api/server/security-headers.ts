import { invalid } from '../../core/errors/errors.ts'
import type { App } from '../app-types.ts'

/** Features that no page uses; the location of the device is for pages of this server alone. */
const permissions = [
  'geolocation=(self)',
  'accelerometer',
  'camera',
  'display-capture',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'usb',
]
  .map((feature) => (feature.includes('=') ? feature : `${feature}=()`))
  .join(', ')

/** Tiles, OGC services, downloads, the background map, and the page that others may frame. */
const openPaths = [
  /^\/(?:tiles|ogc|stac|ows|wms|wfs|wcs|wmts|gwc(?!\/rest[/?])|embed)(?=[/?]|$)/,
  /^\/(?!rest\/|app\/|monitoring\/)[^/?]+\/(?:ows|wms|wfs|wcs|wmts|gwc)(?=[/?]|$)/,
  /^\/assets\/basemap(?=[/.?]|$)/,
  /^\/rest\/downloads\/[^/?]+\/file(?=[/?]|$)/,
]

/**
 * True if pages of other sites may load the response, such as a tile in an `img` element; `path` is below the
 * base path.
 */
export function isOpenToOtherSites(path: string): boolean {
  return openPaths.some((one) => one.test(path))
}

/**
 * Sets headers against content sniffing, framing and leaks on every response; pages may relax the content
 * policy.
 */
export function addSecurityHeaders(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'permissions-policy': permissions,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': isOpenToOtherSites(request.url) ? 'cross-origin' : 'same-origin',
      'x-request-id': request.id,
    })
    done()
  })
}

/** Rejects a request with two `Host` headers: a proxy may have used the other one (RFC 9112, section 3.2). */
export function refuseRepeatedHost(app: App): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { rawHeaders } = request.raw
    let hosts = 0
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]
      if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
    }
    if (hosts > 1)
      throw invalid('repeated-host', `A request must have exactly one Host header, found ${hosts}`)
    done()
  })
}
