import type { Flow } from './steps.ts'
import { curl, get, imports, run, send, treesImport } from './steps.ts'

/** Columns that are unique in data and layer, by which an upsert can match rows. */
export const proposedKeys: Flow = {
  name: 'flow-11-proposed-keys',
  title: 'Flow 11: proposed keys',
  about: 'Searches columns that identify a row in all rows of the data and the layer.',
  steps: [
    {
      says: 'Write a file of trees, the state of Monday.',
      command:
        "printf 'id,kind,height,lat,lon\\n1,oak,20,52,13\\n2,oak,9,52.1,13.1\\n3,elm,11,52.2,13.2\\n' > trees.csv",
    },
    ...treesImport(0, '"updateMode":"CREATE"'),
    { says: 'Run the import.', command: run('/0') },
    {
      says: 'Write the state of Tuesday: one tree has grown, and one was added.',
      command:
        "printf 'id,kind,height,lat,lon\\n1,oak,21,52,13\\n2,oak,9,52.1,13.1\\n4,yew,30,52.3,13.3\\n' > trees.csv",
    },
    ...treesImport(1, '"updateMode":"CREATE"'),
    {
      says: 'List the proposed keys, most likely first.',
      command: curl(`'${imports}/1/tasks/0/proposals?wait=60'`),
    },
    {
      says: 'Set the first one.',
      command: send('PUT', '/1/tasks/0', '{"task":{"updateMode":"UPSERT","keys":["id"]}}'),
    },
    { says: 'Run the import.', command: run('/1') },
    { says: 'List the changes.', command: get('/1/tasks/0/changes?format=csv') },
  ],
}
