import { describeClusterMatrix } from '../../support/access-matrix/cluster-matrix.ts'

// tests/release/access/http-matrix-cluster.test.ts sends three times as many.
describeClusterMatrix(24)
