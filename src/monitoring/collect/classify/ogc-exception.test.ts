import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { OwsAnswer } from './ogc-exception.ts'
import { isServiceException } from './ogc-exception.ts'

const answer: OwsAnswer = { eventType: 'OWS:WMS', operation: 'GetMap', status: 200, contentType: 'image/png' }

const cases: [changes: Partial<OwsAnswer>, expected: boolean][] = [
  [{}, false],
  [{ contentType: 'application/vnd.ogc.se_xml' }, true],
  [{ contentType: 'application/vnd.ogc.se_xml;charset=UTF-8', operation: undefined }, true],
  [{ contentType: 'APPLICATION/VND.OGC.SE_XML', status: 404, eventType: 'mapserver' }, true],
  [{ contentType: 'application/vnd.ogc.sensor', status: 400 }, false],
  [{ contentType: 'text/xml; charset=UTF-8' }, true],
  [{ contentType: 'application/xml', operation: 'getlegendgraphic' }, true],
  [{ contentType: 'text/xml', operation: 'GetCapabilities' }, false],
  [{ contentType: 'text/xml', operation: 'GetFeatureInfo' }, false],
  [{ contentType: 'text/xml', operation: 'GetFeatureInfo', status: 400 }, true],
  [{ contentType: 'text/xml', operation: undefined, eventType: null, status: 404 }, true],
  [{ contentType: 'text/xml', operation: undefined, eventType: 'mapserver', status: 404 }, false],
  [{ contentType: 'text/html', status: 404 }, false],
  [{ contentType: 'image/svg+xml' }, false],
  [{ contentType: 'application/vnd.google-earth.kml+xml' }, false],
  [{ contentType: undefined }, false],
  [{ contentType: null, status: 400 }, false],
]

describe('an exception document of an OGC service', () => {
  for (const [changes, expected] of cases)
    it(`is ${expected ? 'seen' : 'not seen'} in ${JSON.stringify(changes)}`, () => {
      assert.equal(isServiceException({ ...answer, ...changes }), expected)
    })
})
