import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { MapServerKind } from '../../../core/config/map-servers.ts'
import { layerNamer } from './layer-names.ts'

const cases: [kind: MapServerKind | undefined, url: string, path: string, name: string, expected: string][] =
  [
    ['mapserver', 'http://x/ows', '/ows', 'ms:states', 'states'],
    ['mapserver', 'http://x/ows', '/ows', 'states', 'states'],
    ['mapserver', 'http://x/ows', '/ows', 'topp:states', 'topp:states'],
    ['mapserver', 'http://x/ows', '/ows', 'qgs:states', 'qgs:states'],
    ['mapserver', 'http://x/ows', '/ows', 'ms:', 'ms:'],
    ['qgis', 'http://x/ows', '/ows', 'qgs:states', 'states'],
    ['qgis', 'http://x/ows', '/ows', 'ms:states', 'ms:states'],
    [undefined, '', '/cgi-bin/mapserv', 'ms:states', 'states'],
    [undefined, '', '/cgi-bin/mapserv.fcgi', 'ms:states', 'states'],
    [undefined, '', '/cgi-bin/qgis_mapserv.fcgi', 'qgs:states', 'states'],
    [undefined, '', '/ows', 'ms:states', 'ms:states'],
    [undefined, '', '/geoserver/a/ows', 'roads', 'a:roads'],
    ['geoserver', 'http://x/geoserver', '/geoserver/ows', 'a:roads', 'a:roads'],
    ['geoserver', 'http://x/geoserver', '/geoserver/ows', 'b:roads', 'b:roads'],
    ['geoserver', 'http://x/geoserver', '/geoserver/ows', 'roads', 'roads'],
    ['geoserver', 'http://x/geoserver', '/geoserver/a/ows', 'roads', 'a:roads'],
    ['geoserver', 'http://x/geoserver', '/geoserver/a/ows', 'a:roads', 'a:roads'],
    ['geoserver', 'http://x/geoserver', '/geoserver/a/roads/wms', 'roads', 'a:roads'],
    ['geoserver', 'http://x/geoserver', '/geoserver/ms/ows', 'ms:roads', 'ms:roads'],
    ['geoserver', 'http://x/geoserver', '/geoserver/gwc/service/wms', 'roads', 'roads'],
    ['geoserver', 'http://x/geoserver', '/geoserver/a/gwc/service/wmts', 'roads', 'a:roads'],
    ['geoserver', 'http://x/', '/a/wfs', 'roads', 'a:roads'],
    ['geoserver', 'http://x/maps', '/maps/wfs', 'roads', 'roads'],
  ]

describe('the name of a layer', () => {
  for (const [kind, url, path, name, expected] of cases)
    it(`is ${expected} for ${name} at ${path} of ${kind ?? 'a server that nobody names'}`, () => {
      assert.equal(layerNamer(kind, url)(name, path), expected)
    })
})
