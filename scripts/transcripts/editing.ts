import type { Flow } from './steps.ts'
import { curl, items, run, treesImport } from './steps.ts'

const features = 'http://localhost:8080/ogc/collections/default:trees/items'
const versions = 'http://localhost:8080/rest/layers/default:trees/versions'
const send = (method: string, path: string, type: string, body: string, more = ''): string =>
  curl(`-X ${method} ${features}${path} -H 'Content-Type: application/${type}'${more} \\\n  -d '${body}'`)

/** Adds, changes and removes features one by one, and undoes all of it together. */
export const editing: Flow = {
  name: 'flow-10-editing',
  title: 'Flow 10: features are edited',
  about: 'Edits of one user within 15 minutes are one version, and are taken back together.',
  steps: [
    {
      says: 'Trees, as a layer.',
      command: "printf 'id,kind,lat,lon\\n1,oak,52,13\\n2,ash,52.1,13.1\\n' > trees.csv",
    },
    ...treesImport(0, '"updateMode":"CREATE"'),
    { says: 'Execution.', command: run('/0') },
    { says: 'What may be done with its features.', command: curl(`-X OPTIONS ${features}`) },
    {
      says: 'One more tree.',
      command: send(
        'POST',
        '',
        'geo+json',
        '{"type":"Feature","geometry":{"type":"Point","coordinates":[13.2,52.2]},"properties":{"id":3,"kind":"elm"}}',
      ),
    },
    {
      says: 'What is named of a tree is changed.',
      command: send('PATCH', '/1', 'merge-patch+json', '{"properties":{"kind":"lime"}}'),
    },
    {
      says: 'Values that do not fit are refused, all at once.',
      command: send('PATCH', '/1', 'merge-patch+json', '{"properties":{"id":1.5,"kind":7}}'),
    },
    {
      says: 'So is a change of what somebody else has changed meanwhile.',
      command: send(
        'PATCH',
        '/1',
        'merge-patch+json',
        '{"properties":{"kind":"fir"}}',
        ` -H 'If-Match: "an-earlier-state"'`,
      ),
    },
    { says: 'A tree goes.', command: curl(`-X DELETE ${features}/2`) },
    { says: 'The layer now.', command: items('default:trees', 'limit=10') },
    { says: 'The edits are one version.', command: curl(versions) },
    {
      says: 'They are taken back together.',
      command: curl(
        `-X POST ${versions}/1/restore -H 'Content-Type: application/json' -d '{"what":["data"]}'`,
      ),
    },
    { says: 'The layer as it was.', command: items('default:trees', 'limit=10') },
  ],
}
