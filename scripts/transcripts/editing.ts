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
  about: 'Edits of one user within 15 minutes are one version and are undone together.',
  steps: [
    {
      says: 'Write a file of trees.',
      command: "printf 'id,kind,lat,lon\\n1,oak,52,13\\n2,ash,52.1,13.1\\n' > trees.csv",
    },
    ...treesImport(0, '"updateMode":"CREATE"'),
    { says: 'Run the import.', command: run('/0') },
    { says: 'List the methods allowed for its features.', command: curl(`-X OPTIONS ${features}`) },
    {
      says: 'Add a tree.',
      command: send(
        'POST',
        '',
        'geo+json',
        '{"type":"Feature","geometry":{"type":"Point","coordinates":[13.2,52.2]},"properties":{"id":3,"kind":"elm"}}',
      ),
    },
    {
      says: 'Change one property of a tree.',
      command: send('PATCH', '/1', 'merge-patch+json', '{"properties":{"kind":"lime"}}'),
    },
    {
      says: 'Invalid values are rejected; the response lists all of them.',
      command: send('PATCH', '/1', 'merge-patch+json', '{"properties":{"id":1.5,"kind":7}}'),
    },
    {
      says: 'A change of an outdated state is rejected too.',
      command: send(
        'PATCH',
        '/1',
        'merge-patch+json',
        '{"properties":{"kind":"fir"}}',
        ` -H 'If-Match: "an-earlier-state"'`,
      ),
    },
    { says: 'Delete a tree.', command: curl(`-X DELETE ${features}/2`) },
    { says: 'Show the layer.', command: items('default:trees', 'limit=10') },
    { says: 'The edits are one version.', command: curl(versions) },
    {
      says: 'Undo all of them.',
      command: curl(
        `-X POST ${versions}/1/restore -H 'Content-Type: application/json' -d '{"what":["data"]}'`,
      ),
    },
    { says: 'Show the restored layer.', command: items('default:trees', 'limit=10') },
  ],
}
