import { describeTrust } from './tiles-trust.ts'

// tests/extended/catalogues/tiles-trust.test.ts has the other catalogue.
describeTrust('SQLite and GeoPackage')
