type Words = Partial<Record<string, string>>

const features: Words = {
  QGIS: 'Or by hand: Layer, Add Layer, Add WFS / OGC API Features Layer, New, with this address, version OGC API - Features.',
  ArcGIS:
    'In ArcGIS Pro: Insert, Connections, Server, New OGC API Server, with this address as the server URL. Then add the layer from the catalog pane. This was not tried with ArcGIS itself.',
  OpenLayers: 'The page draws vector tiles, in a style of its own.',
  MapLibre: 'The page draws the layer in its style.',
}
const raster: Words = {
  QGIS: 'Or by hand: in the Browser, XYZ Tiles, New Connection, with this address.',
  ArcGIS:
    'In ArcGIS Online and Pro: add a tile layer from a URL, with this address. This was not tried with ArcGIS itself.',
  MapLibre: 'The page draws the layer in its style.',
}
const needs: Words = {
  R: 'Needs R with the package sf, for rasters terra.',
  Python: 'Needs Python 3.8 and nothing else.',
  GDAL: 'Needs GDAL 3.4 or later.',
  MapLibre: 'Takes MapLibre GL from unpkg.com.',
  Leaflet: 'Takes Leaflet from unpkg.com.',
  OpenLayers: 'Takes OpenLayers from unpkg.com.',
}

export const en = {
  title: 'Use it in',
  programs: 'Program',
  copy: 'Copy',
  qlr: 'Download for QGIS (.qlr)',
  qlrHint: 'Drop the file into QGIS: the layer is there, in its style.',
  codeFor: (program: string) => `Code for ${program}`,
  leaflet: {
    features: 'The page asks for all features. Leaflet draws them in its own style.',
    tiles: 'The page shows pictures of the layer in its style: it has more features than Leaflet draws.',
    first: 'The page asks for the first 1,000 features: where the CRS is not known there are no tiles.',
  },
  steps: { features, raster },
  needs,
  token: {
    code: 'This layer is not public. Put a token in the place of TOKEN. Pages of other sites need TERRANE_CORS_ORIGINS as well.',
    login: 'This layer is not public. The program asks for a login: a user and password of this server.',
  },
  tokens: 'Make a token',
  addresses: 'Addresses to paste',
  layerThere: 'The layer is called there:',
  copyAddress: (service: string) => `Copy the address of ${service}`,
  services: {
    'OGC API': 'data and maps, for newer programs',
    WMS: 'maps as pictures',
    WMTS: 'maps as tiles',
    WFS: 'features',
    WCS: 'cells',
    XYZ: 'tiles as pictures',
    MVT: 'vector tiles',
  },
}

export type UseTexts = typeof en
