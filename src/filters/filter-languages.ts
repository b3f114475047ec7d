import { parseCql2Json } from './cql2-json.ts'
import { parseCql2Text } from './cql2-text.ts'
import type { FilterLanguage } from './filter-language.ts'

/** The registry. The first language is the default. */
export const filterLanguages: readonly [FilterLanguage, ...FilterLanguage[]] = [
  { name: 'cql2-text', parse: parseCql2Text, example: "name = 'Ulm' AND size > 100" },
  {
    name: 'cql2-json',
    parse: parseCql2Json,
    example: JSON.stringify({
      op: 'and',
      args: [
        { op: '=', args: [{ property: 'name' }, 'Ulm'] },
        { op: '>', args: [{ property: 'size' }, 100] },
      ],
    }),
  },
]
