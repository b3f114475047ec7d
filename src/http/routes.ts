import type { Area } from './app-types.ts'
import { healthArea } from './health.ts'

/** Every area of paths, one line each. */
export const areas: Area[] = [
  healthArea, // /health
]
