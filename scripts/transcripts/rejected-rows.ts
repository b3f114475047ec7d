import type { Flow } from './steps.ts'
import { curl, get, imports, items, run, treesImport } from './steps.ts'

export const rejectedRows: Flow = {
  name: 'flow-9-rejected-rows',
  title: 'Flow 9: rejected rows, corrected and submitted again',
  about:
    'Rejected rows are downloaded in the format of their source, corrected, and submitted again in two rounds.',
  steps: [
    {
      says: 'Write a file of trees. Two have unreadable coordinates.',
      command:
        "printf 'id;kind;lat;lon\\n1;oak;52;13\\n2;ash;north of the oak;13.1\\n3;elm;52.2;east\\n4;yew;52.3;13.3\\n' > trees.csv",
    },
    ...treesImport(0, '"updateMode":"CREATE","rejectLimit":2'),
    { says: 'Run the import.', command: run('/0') },
    { says: 'Show the row counts: four rows were read.', command: get('/0/tasks/0') },
    {
      says: 'Get the rejected rows in the format of their source.',
      command: get('/0/tasks/0/rejects?format=source'),
    },
    {
      says: 'Correct one row, but not the other.',
      command:
        "printf '_row;id;kind;lat;lon\\n2;2;ash;52.1;13.1\\n3;3;elm;52.2;east of the yew\\n' > corrected.csv",
    },
    { says: 'Submit both rows.', command: curl(`-F filedata=@corrected.csv ${imports}/0/tasks/0/rejects`) },
    {
      says: 'Submit the same file again: the loaded row is rejected.',
      command: curl(`-F filedata=@corrected.csv ${imports}/0/tasks/0/rejects`),
    },
    { says: 'Get the remaining rejected row with its new reason.', command: get('/0/tasks/0/rejects?f=csv') },
    {
      says: 'Correct the last row, as GeoJSON instead of CSV.',
      command: `printf '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"properties":{"_row":3,"id":3,"kind":"elm","lat":52.2,"lon":13.2}}]}' > corrected.geojson\n${curl(`-F filedata=@corrected.geojson ${imports}/0/tasks/0/rejects`)}`,
    },
    { says: 'The layer has all four rows.', command: items('default:trees', 'limit=10') },
    {
      says: 'Each submission created a version.',
      command: 'curl -u admin:$PASSWORD http://localhost:8080/rest/layers/default:trees/versions',
    },
  ],
}
