import { signal } from '@preact/signals'
import type { Row } from './row-pages.ts'

/** The row that is chosen in the table or on the map, of which task; undefined until it is known with its place. */
export const chosenRow = signal<{ path: string; row: Row } | undefined>(undefined)
