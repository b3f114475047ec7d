import { type PageServer, password } from './shown-pages.ts'

const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`

/** Sends a request as `admin` for data that a page does not show, or to prepare data that it shows. */
export async function asAdmin(
  { url }: Pick<PageServer, 'url'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const isForm = body instanceof FormData
  const sent = body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }
  const type = body === undefined || isForm ? {} : { 'content-type': 'application/json' }
  const reply = await fetch(url + path, { method, headers: { authorization, ...type }, ...sent })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** Points at `lat` and `lon`, to be taken from these columns. */
const pointChain = {
  type: 'vector',
  transforms: [{ type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }],
}

/** Creates an import of tables with coordinate columns; returns its id. Each file is one task. */
export async function prepareImport(
  server: Pick<PageServer, 'url'>,
  files: Readonly<Record<string, string>>,
  task: object = {},
): Promise<number> {
  const made = (await asAdmin(server, 'POST', '/rest/imports', { import: {} })) as { import: { id: number } }
  const { id } = made.import
  const form = new FormData()
  for (const [name, text] of Object.entries(files)) form.append('filedata', new Blob([text]), name)
  await asAdmin(server, 'POST', `/rest/imports/${id}/tasks`, form)
  for (const [index] of Object.keys(files).entries()) {
    const expected = { transformChain: pointChain, layer: { srs: 'EPSG:4326' }, ...task }
    await asAdmin(server, 'PUT', `/rest/imports/${id}/tasks/${index}`, { task: expected })
  }
  return id
}

/** The same, loaded. */
export async function loadTable(
  server: Pick<PageServer, 'url'>,
  files: Readonly<Record<string, string>>,
): Promise<number> {
  const id = await prepareImport(server, files)
  await asAdmin(server, 'POST', `/rest/imports/${id}`)
  return id
}
