/** One command of a flow, run unchanged. */
export interface FlowStep {
  /** Description of the command. */
  says: string
  command: string
  /** Repeats the command until its output matches; the document shows the last output. */
  until?: RegExp
}

export interface Flow {
  /** Name of its document, without extension. */
  name: string
  title: string
  about: string
  steps: FlowStep[]
}

export const imports = 'http://localhost:8080/rest/imports'
export const json = "-H 'Content-Type: application/json'"
export const curl = (words: string): string => `curl -i -u admin:$PASSWORD ${words}`
export const get = (path: string): string => curl(`${imports}${path}`)
export const run = (path: string): string => curl(`-X POST ${imports}${path}`)
export const send = (method: 'POST' | 'PUT', path: string, body: string): string =>
  curl(`-X ${method} ${imports}${path} ${json} \\\n  -d '${body}'`)
export const items = (layer: string, query: string): string =>
  curl(`'http://localhost:8080/ogc/collections/${layer}/items?${query}'`)

/** Imports `trees.csv` with the mode given by `task`. */
export function treesImport(id: number, task: string): FlowStep[] {
  const points = '{"type":"AttributesToPointGeometryTransform","latField":"lat","lngField":"lon"}'
  const chain = `"transformChain":{"type":"vector","transforms":[${points}]}`
  return [
    { says: 'Create an import.', command: send('POST', '', '{"import":{}}') },
    { says: 'Upload the file.', command: curl(`-F filedata=@trees.csv ${imports}/${id}/tasks`) },
    {
      says: 'Set CRS, point geometry and mode.',
      command: send('PUT', `/${id}/tasks/0`, `{"task":{${task},"layer":{"srs":"EPSG:4326"},${chain}}}`),
    },
  ]
}
