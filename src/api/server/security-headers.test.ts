import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { endpoints } from '../routes.ts'
import { isOpenToOtherSites } from './security-headers.ts'

describe('answers that pages of other sites may load', () => {
  it('are those of OGC services, tiles and downloads, and nothing else below /rest', () => {
    for (const { path, countsAs } of endpoints) {
      const isService = countsAs.startsWith('OWS:')
      const isOpen = isService || /^\/(?:tiles|ogc|stac|assets\/basemap)\b/.test(path)
      assert.equal(isOpenToOtherSites(path), isOpen || path === '/rest/downloads/:id/file', path)
    }
  })

  it('are told by the path: pages, names in queries and unknown paths are not', () => {
    for (const path of [
      '/',
      '/app/map',
      '/rest/wms',
      '/rest/layers/wms/wms',
      '/app/wms',
      '/wmsx',
      '/gwc/rest/layers',
      '/x?a=/wms',
    ])
      assert.equal(isOpenToOtherSites(path), false, path)
    for (const path of ['/wms?service=WMS', '/city/gwc/service/wmts', '/embed/map', '/tiles/a:b/0/0/0.mvt'])
      assert.equal(isOpenToOtherSites(path), true, path)
  })
})
