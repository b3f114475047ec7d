import type { RequestListener } from 'node:http'

/** Answers in the shapes that the ArcGIS REST API documents, two features a page. */
export function arcgis(ids = [1, 2, 3, 4, 5]) {
  const state: { fault?: string; busy: number; ids: number[] } = { busy: 0, ids }
  const fields = [
    { name: 'OBJECTID', type: 'esriFieldTypeOID' },
    {
      name: 'kind',
      type: 'esriFieldTypeInteger',
      domain: {
        type: 'codedValue',
        name: 'kinds',
        codedValues: [
          { code: 1, name: 'Oak' },
          { code: 2, name: 'Elm' },
        ],
      },
    },
    { name: 'planted', type: 'esriFieldTypeDate', length: 8 },
  ]
  const layer = {
    id: 0,
    name: 'Trees',
    objectIdField: 'OBJECTID',
    maxRecordCount: 2,
    hasAttachments: true,
    extent: { spatialReference: { wkid: 102100, latestWkid: 3857 } },
    fields,
  }
  const rows = () =>
    state.ids.map((id) => ({
      attributes: { OBJECTID: id, kind: (id % 2) + (id % 2 === 0 ? 2 : 0), planted: 1_000_000_000_000 },
      geometry: { x: 1_400_000 + id, y: 6_800_000 },
    }))
  const query = (parameters: URLSearchParams): object => {
    const { fault } = state
    const all = rows()
    if (parameters.get('returnCountOnly') === 'true') return { count: fault === 'count' ? 9 : all.length }
    if (fault === 'error')
      return { error: { code: 500, message: 'Unable to complete operation', details: [] } }
    const last = Number(/OBJECTID > (\d+)/.exec(parameters.get('where') ?? '')?.[1] ?? 0)
    const from = fault === 'repeated' ? Math.min(last, 1) : last
    const features = all.filter(({ attributes }) => attributes.OBJECTID > from).slice(0, 2)
    const extra = fault === 'schema' && last > 0 ? { other: 1 } : {}
    return {
      objectIdFieldName: 'OBJECTID',
      fields,
      exceededTransferLimit: from + features.length < all.length,
      features: features.map((one) => ({ ...one, attributes: { ...one.attributes, ...extra } })),
    }
  }
  const listener: RequestListener = (request, reply) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    if (state.busy > 0) {
      state.busy -= 1
      return void reply.writeHead(state.busy === 0 ? 429 : 503, { 'retry-after': '0' }).end()
    }
    if (state.fault === 'html') return void reply.end('<!DOCTYPE html><html>Sign in</html>')
    const answer = pathname.endsWith('/query')
      ? query(searchParams)
      : pathname.endsWith('/0')
        ? layer
        : { layers: [layer] }
    const text = JSON.stringify(answer)
    reply.end(state.fault === 'truncated' && pathname.endsWith('/query') ? text.slice(0, -10) : text)
  }
  return { state, listener }
}
