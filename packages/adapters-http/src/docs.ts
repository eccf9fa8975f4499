export { type InterfacePagesSettings, interfacePages } from './routes/pages.ts';
