export { DumpError } from './dump-error.ts'
export { importConfiguration } from './import-configuration.ts'
export type {
  ConfigurationTarget,
  DumpException,
  ImportProgress,
  RecordedPeriods,
  SeriesPeriod,
  SeriesTarget,
} from './import-target.ts'
export type { ConfiguredService } from './prepare-import.ts'
export { prepareImport } from './prepare-import.ts'
export type { ImportReport } from './tally.ts'
