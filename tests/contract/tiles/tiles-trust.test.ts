import { describeTrust } from './tiles-trust.ts'

// tests/release/catalogues/tiles-trust.test.ts has the other catalogue.
describeTrust('SQLite and GeoPackage')
