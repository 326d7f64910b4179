// chain_halo.hpp - a class template whose library calls MPI, for chains.py.
#ifndef MQD_TESTS_LIVE_CHAIN_HALO_HPP
#define MQD_TESTS_LIVE_CHAIN_HALO_HPP

#include <mpi.h>
#include <vector>

namespace fluid {

template <typename Number> class Halo {
public:
    explicit Halo(MPI_Comm communicator) : communicator_(communicator) {}
    void exchange(std::vector<Number>& cells);
    void each(std::vector<Number>& cells, void (*work)(std::vector<Number>&));

private:
    void receive(std::vector<Number>& cells);
    MPI_Comm communicator_;
};

}

#endif
