import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createTestApp } from '../../support/app.ts'
import { createCatalogDatabase } from '../../support/catalog-database.ts'

const collection = JSON.stringify({
  type: 'FeatureCollection',
  features: ['Illinois', 'Iowa', 'Utah'].map((name, at) => ({
    type: 'Feature',
    properties: { STATE_NAME: name, PERSONS: 1000 * (at + 1) },
    geometry: { type: 'Point', coordinates: [-90 - at, 40 + at] },
  })),
})

/** Heights without a word of their system. */
const relief = [
  'ncols 20',
  'nrows 20',
  'xllcorner -92',
  'yllcorner 39',
  'cellsize 0.1',
  ...Array.from({ length: 20 }, (_, row) => Array.from({ length: 20 }, (__, at) => at + row).join(' ')),
].join('\n')

interface Link {
  /** Client that stores the link. */
  by: string
  link: string
  status?: number
  type: RegExp
  /** Pattern that the response body must match. */
  has: RegExp
  body?: string
  /** Posted by a page. */
  form?: string
}

const box = 'bbox=-124.73,24.95,-66.96,49.37&width=768&height=330&srs=EPSG:4326'
const preview = `service=WMS&version=1.1.0&request=GetMap&layers=topp%3Astates&${box}&styles=`
const png = /^.PNG/
const byPage = 'service=WFS&version=1.0.0&request=GetFeature&typeName=topp%3Astates&maxFeatures=50'

/** Addresses as clients of GeoServer keep them, below `/geoserver`. */
const links: Link[] = [
  {
    by: 'the preview of layers',
    link: `/topp/wms?${preview}&format=image%2Fpng`,
    type: /^image\/png/,
    has: png,
  },
  {
    by: 'the preview as a page of OpenLayers',
    link: `/topp/wms?${preview}&format=application/openlayers`,
    status: 400,
    type: /xml/,
    has: /code="InvalidFormat"/,
  },
  {
    by: 'the preview as KML',
    link: `/topp/wms?${preview}&format=application%2Fvnd.google-earth.kml%2Bxml`,
    status: 400,
    type: /xml/,
    has: /code="InvalidFormat"/,
  },
  {
    by: 'Leaflet',
    link: '/wms?service=WMS&request=GetMap&version=1.1.1&layers=topp%3Astates&styles=&format=image%2Fpng&transparent=true&tiled=true&width=256&height=256&srs=EPSG%3A3857&bbox=-10018754.17,3757032.81,-8766409.90,5009377.09',
    type: /^image\/png/,
    has: png,
  },
  {
    by: 'OpenLayers',
    link: '/topp/wms?SERVICE=WMS&VERSION=1.3.0&REQUEST=GetMap&FORMAT=image%2Fpng&TRANSPARENT=true&LAYERS=topp%3Astates&TILED=true&tilesOrigin=-124.73%2C24.95&exceptions=application%2Fvnd.ogc.se_inimage&WIDTH=256&HEIGHT=256&CRS=EPSG%3A4326&STYLES=&BBOX=22.5%2C-112.5%2C45%2C-90',
    type: /^image\/png/,
    has: png,
  },
  {
    by: 'a project of QGIS',
    link: '/ows?SERVICE=WMS&VERSION=1.3.0&REQUEST=GetCapabilities',
    type: /xml/,
    has: /<Name>topp:states<\/Name>/,
  },
  {
    by: 'ArcGIS',
    link: '/topp/wms?request=GetCapabilities&service=WMS',
    type: /xml/,
    has: /<WMS_Capabilities version="1\.3\.0"/,
  },
  {
    by: 'uDig',
    link: '/ows?service=wfs&version=1.1.0&request=GetCapabilities',
    type: /xml/,
    has: /<Name>topp:states<\/Name>/,
  },
  {
    by: 'GeoExplorer, for its legend',
    link: '/wms?REQUEST=GetLegendGraphic&VERSION=1.0.0&FORMAT=image/png&WIDTH=20&HEIGHT=20&LAYER=topp:states&LEGEND_OPTIONS=forceLabels:on',
    type: /^image\/png/,
    has: png,
  },
  {
    by: 'a click in MapStore',
    link: `/wms?service=WMS&version=1.1.1&request=GetFeatureInfo&layers=topp:states&query_layers=topp:states&styles=&srs=EPSG:4326&bbox=-91,39,-89,41&width=101&height=101&x=50&y=50&info_format=application/json&feature_count=10&buffer=8`,
    type: /json/,
    has: /"STATE_NAME":\s*"Illinois"/,
  },
  {
    by: 'GeoNode, for a download',
    link: '/topp/ows?service=WFS&version=1.1.0&request=GetFeature&typename=topp%3Astates&outputFormat=SHAPE-ZIP',
    type: /^application\/zip/,
    has: /^PK/,
  },
  {
    by: 'CKAN',
    link: '/wfs?service=WFS&version=2.0.0&request=GetFeature&typeNames=topp:states&outputFormat=csv&count=2',
    type: /^text\/csv/,
    has: /Illinois.*Iowa/s,
  },
  {
    by: 'a script that filters',
    link: "/topp/ows?service=WFS&version=1.1.0&request=GetFeature&typeName=topp:states&outputFormat=application/json&CQL_FILTER=PERSONS>1500 AND STATE_NAME LIKE 'I%25'",
    type: /json/,
    has: /"Iowa"/,
  },
  {
    by: 'a script that filters by place, in ECQL',
    link: "/topp/ows?service=WFS&version=1.1.0&request=GetFeature&typeName=topp:states&outputFormat=application/json&CQL_FILTER=BBOX(the_geom,-91.5,40.5,-90.5,41.5) AND STATE_NAME ILIKE 'i%25'",
    type: /json/,
    has: /"totalFeatures":1.*"Iowa"|"Iowa".*"totalFeatures":1/,
  },
  {
    by: 'a script that asks what is near',
    link: '/topp/ows?service=WFS&version=1.1.0&request=GetFeature&typeName=topp:states&outputFormat=application/json&CQL_FILTER=DWITHIN(the_geom, POINT(-91.01 41), 2, kilometers)',
    type: /json/,
    has: /"totalFeatures":1.*"Iowa"|"Iowa".*"totalFeatures":1/,
  },
  {
    by: 'a script that knows the ids',
    link: "/ows?service=WFS&version=2.0.0&request=GetFeature&typeNames=topp:states&outputFormat=application/json&CQL_FILTER=IN('states.3')",
    type: /json/,
    has: /"Utah"/,
  },
  {
    by: 'a viewer that filters its map',
    link: `/topp/wms?${preview}&format=image%2Fpng&CQL_FILTER=INTERSECTS(the_geom, POLYGON((-95 35,-85 35,-85 45,-95 45,-95 35)))`,
    type: /^image\/png/,
    has: png,
  },
  {
    by: 'OpenLayers, which asks for a box',
    link: '/wfs?service=WFS&version=1.1.0&request=GetFeature&typename=topp:states&outputFormat=application/json&srsname=EPSG:3857&bbox=-10130000,4800000,-9900000,5000000,EPSG:3857',
    type: /json/,
    has: /"totalFeatures":\s*1\b/,
  },
  {
    by: 'OpenLayers, which posts',
    link: '/wfs',
    type: /xml/,
    has: /Utah/,
    body: '<GetFeature xmlns="http://www.opengis.net/wfs" service="WFS" version="1.1.0" maxFeatures="9" xmlns:topp="http://www.openplans.org/topp"><Query typeName="topp:states" srsName="EPSG:4326"><Filter xmlns="http://www.opengis.net/ogc"><PropertyIsLike wildCard="*" singleChar="." escapeChar="!"><PropertyName>STATE_NAME</PropertyName><Literal>Ut*</Literal></PropertyIsLike></Filter></Query></GetFeature>',
  },
  {
    by: 'pages with JSONP',
    link: '/topp/ows?service=WFS&version=1.1.0&request=GetFeature&typeName=topp:states&outputFormat=text/javascript&format_options=callback:getJson',
    status: 400,
    type: /xml/,
    has: /locator="outputformat"/i,
  },
  {
    by: 'the preview of features, by WFS 1.0',
    link: `/topp/ows?${byPage}&outputFormat=application%2Fjson`,
    type: /json/,
    has: /"STATE_NAME":\s*"Utah"/,
  },
  {
    by: 'scripts that edit',
    link: '/wfs',
    type: /xml/,
    has: /<wfs:totalInserted>0</,
    body: '<wfs:Transaction xmlns:wfs="http://www.opengis.net/wfs" service="WFS" version="1.1.0"/>',
  },
  {
    by: 'OpenLayers, of GeoWebCache, as JPEG',
    link: '/gwc/service/wmts?layer=topp%3Astates&style=&tilematrixset=EPSG%3A900913&Service=WMTS&Request=GetTile&Version=1.0.0&Format=image%2Fjpeg&TileMatrix=EPSG%3A900913%3A3&TileCol=1&TileRow=2',
    type: /^image\/jpeg/,
    has: /^\u00ff\u00d8/,
  },
  {
    by: 'OpenLayers, of GeoWebCache',
    link: '/gwc/service/wmts?layer=topp%3Astates&style=&tilematrixset=EPSG%3A900913&Service=WMTS&Request=GetTile&Version=1.0.0&Format=image%2Fpng&TileMatrix=EPSG%3A900913%3A3&TileCol=1&TileRow=2',
    type: /^image\/png/,
    has: png,
  },
  {
    by: 'ArcGIS, of GeoWebCache',
    link: '/gwc/service/wmts?REQUEST=GetCapabilities',
    type: /xml/,
    has: /<ows:Identifier>topp:states<\/ows:Identifier>/,
  },
  {
    by: 'Leaflet by TMS',
    link: '/gwc/service/tms/1.0.0/topp:states@EPSG:900913@png/3/1/5.png',
    type: /^image\/png/,
    has: png,
  },
  {
    by: 'QGIS, of coverages',
    link: '/ows?SERVICE=WCS&REQUEST=GetCapabilities&VERSION=1.0.0',
    type: /xml/,
    has: /<name>topp:relief<\/name>/,
  },
  {
    by: 'OpenLayers, for a part of a coverage',
    link: '/wcs?service=WCS&version=2.0.1&request=GetCoverage&coverageId=topp__relief&subset=Long(-90.5,-90)&subset=Lat(40,40.5)&format=image%2Ftiff',
    type: /^image\/tiff/,
    has: /^II\*/,
  },
  {
    by: 'GeoNode, for the cells of a layer',
    link: '/topp/wcs?service=WCS&request=GetCoverage&version=2.0.1&coverageid=topp__relief&format=image/tiff&compression=DEFLATE&tileWidth=512&tileHeight=512&outputCrs=EPSG:3857',
    type: /^image\/tiff/,
    has: /^II\*/,
  },
  {
    by: 'uDig, of coverages',
    link: '/wcs?service=WCS&version=1.0.0&request=GetCoverage&coverage=topp:relief&crs=EPSG:4326&bbox=-91,39,-90,40&width=20&height=20&format=GeoTIFF',
    type: /^image\/tiff/,
    has: /^II\*/,
  },
  {
    by: 'ArcGIS, by WCS 1.1',
    link: '/wcs?SERVICE=WCS&REQUEST=GetCapabilities&VERSION=1.1.1',
    type: /xml/,
    has: /<WCS_Capabilities version="1\.0\.0"/,
  },
  {
    by: 'scripts that leave the workspace out',
    link: `/wms?${preview.replace('topp%3A', '')}&format=image%2Fpng`,
    type: /^image\/png/,
    has: png,
  },
  {
    by: 'the same, of coverages',
    link: '/wcs?service=WCS&version=2.0.1&request=DescribeCoverage&coverageId=relief',
    type: /xml/,
    has: /<wcs:CoverageId>topp__relief</,
  },
  {
    by: 'OpenLayers with tiles, of GeoWebCache',
    link: `/gwc/service/wms?${preview.replace('1.1.0', '1.1.1')}&format=image%2Fpng&tiled=true`,
    type: /^image\/png/,
    has: png,
  },
  {
    by: 'viewers with a long filter, which post their map',
    link: '/topp/wms',
    type: /^image\/png/,
    has: png,
    form: `${preview}&format=image%2Fpng&CQL_FILTER=PERSONS IN (${Array.from({ length: 4000 }, (_, at) => at).join(',')})`,
  },
  {
    by: 'the same at the address of all services',
    link: '/ows',
    type: /^image\/png/,
    has: png,
    form: `${preview}&format=image%2Fpng`,
  },
  {
    by: 'clients that post a click, with all of it in the address',
    link: `/wms?service=WMS&version=1.1.1&request=GetFeatureInfo&layers=topp:states&query_layers=topp:states&styles=&srs=EPSG:4326&bbox=-91,39,-89,41&width=101&height=101&x=50&y=50&info_format=application/json&feature_count=100000`,
    type: /json/,
    has: /"STATE_NAME":\s*"Illinois"/,
    form: '',
  },
  {
    by: 'clients that post a map as XML',

    link: '/wms',
    status: 400,
    type: /xml/,
    has: /code="OperationNotSupported".*WMS accepts key-value requests only/,
    body: '<ogc:GetMap xmlns:ogc="http://www.opengis.net/ows" service="WMS" version="1.1.1"/>',
  },
  {
    by: 'scripts of the time before GeoServer 2.2',
    link: '/wfs?service=WFS&version=2.0.0&request=GetFeature&storedquery_id=urn:ogc:def:storedQuery:OGC-WFS::GetFeatureById&id=states.3',
    type: /xml/,
    has: /Utah/,
  },
  {
    by: 'the reflector of maps',

    link: '/wms/reflect?layers=topp:states',
    status: 404,
    type: /json|html/,
    has: /not-found|Not Found|no such/i,
  },
  { by: 'scripts that import', link: '/rest/imports', type: /json/, has: /"imports"/ },
]

const shapes = {
  'SQLite and GeoPackage': async () => ({}),
  'PostgreSQL and PostGIS': async () => ({ TERRANE_DATABASE_URL: await createCatalogDatabase() }),
}

describe('links that clients of GeoServer have kept', () => {
  // Where the catalogue is makes no difference to the base path.
  for (const [shape, settings] of Object.entries(shapes))
    for (const base of shape.startsWith('SQLite') ? ['/geoserver', ''] : ['/geoserver'])
      it(`are answered or refused with a reason, below "${base}/", with ${shape}`, async () => {
        const env = { TERRANE_BASE_PATH: base, TERRANE_LOADS: '1', ...(await settings()) }
        const server = await createTestApp({ env })
        try {
          const ask = (method: 'GET' | 'POST' | 'PUT', link: string, payload?: string, mediaType?: string) =>
            server.app.inject({
              method,
              url: `${base}${link}`,
              ...(payload === undefined ? {} : { payload }),
              headers: {
                ...server.admin,
                ...(payload === undefined
                  ? {}
                  : {
                      'content-type':
                        mediaType ?? (payload.startsWith('<') ? 'text/xml' : 'application/json'),
                    }),
              },
            })
          const workspace = await ask(
            'POST',
            '/rest/workspaces',
            JSON.stringify({ workspace: { name: 'topp' } }),
          )
          assert.equal(workspace.statusCode, 201, workspace.body)
          const folder = join(server.dataDir, 'incoming')
          mkdirSync(folder, { recursive: true })
          writeFileSync(join(folder, 'states.geojson'), collection)
          const data = { type: 'file', file: 'states.geojson' }
          const request = { import: { targetWorkspace: { workspace: { name: 'topp' } }, data } }
          const made = await ask('POST', '/rest/imports?exec=true', JSON.stringify(request))
          assert.match(made.body, /"COMPLETE"/)
          writeFileSync(join(folder, 'relief.asc'), relief)
          const raster = { type: 'file', file: 'relief.asc' }
          const cells = { import: { targetWorkspace: { workspace: { name: 'topp' } }, data: raster } }
          const imported = await ask('POST', '/rest/imports', JSON.stringify(cells))
          const { id } = imported.json<{ import: { id: number } }>().import
          await ask(
            'PUT',
            `/rest/imports/${id}/tasks/0/layer`,
            JSON.stringify({ layer: { srs: 'EPSG:4326' } }),
          )
          await ask('POST', `/rest/imports/${id}`)
          for (const { by, link, status = 200, type, has, body, form } of links) {
            const sent = body ?? form
            const mediaType = form === undefined ? undefined : 'application/x-www-form-urlencoded'
            const reply = await ask(sent === undefined ? 'GET' : 'POST', link, sent, mediaType)
            const text = reply.rawPayload.toString('latin1')
            const shown = `${by}: ${link}: ${text.slice(0, 600)}`
            assert.equal(reply.statusCode, status, shown)
            assert.match(String(reply.headers['content-type']), type, shown)
            assert.match(text, has, shown)
          }
        } finally {
          await server.close()
        }
      })
})
