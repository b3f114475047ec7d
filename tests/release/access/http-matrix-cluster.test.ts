import { describeClusterMatrix } from '../../support/access-matrix/cluster-matrix.ts'

describeClusterMatrix(8)
