// A CUDA plugin that was built for another torch.

extern "C" const void* plumb_cuda_plugin(const char*) { return nullptr; }
