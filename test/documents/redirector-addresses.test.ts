import { redirectorContract } from './redirector-contract.ts';

redirectorContract('this Node');
